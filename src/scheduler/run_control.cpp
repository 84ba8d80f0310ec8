// SPDX-License-Identifier: Apache-2.0

#include "scheduler/run_control.hpp"

#include <tactus/base/error.hpp>
#include <tactus/fiber/impl/context.hpp>
#include <tactus/scheduler/impl/may_begin.hpp>

#include "base/probe.hpp"
#include "scheduler/process.hpp"
#include "scheduler/worker_visit.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX
#include <unistd.h>

namespace tactus::detail {
namespace {

std::chrono::nanoseconds processor_time() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

struct root_start {
  worker* w;
  void (*body)(void*);
  void* argument;
};

bool end_run(wait_point&) {
  worker* const w = current_worker();
  w->counters.suspensions -= 1;  // it has ended, and waits for nothing
  w->owner->run().end_of_root();
  return true;
}

void run_root_body(worker* w, void (*body)(void*), void* argument) {
  task_name name{"root"};
  name.destroy = [](local_value*) noexcept {};
  task_frame frame{&name};
  w->task = &frame;
  body(argument);
  current_worker()->task = nullptr;
}

TACTUS_NO_SANITIZE void* root_entry(void* argument, void* saved) {
  const root_start s = *static_cast<root_start*>(argument);
  s.w->native.context = saved;
  run_root_body(s.w, s.body, s.argument);
  wait_point over;
  over.commit = end_run;
  worker* const w = current_worker();
  w->hand_in_arrivals();
  over.finish = nullptr;
  over.task = w->task;
  park_here(w, over, stack_pool::at_limit::insist);  // for ever: the stack is reused by the next run
  __builtin_unreachable();
}

// One body at a time.
class only_run {
public:
  explicit only_run(atomic<bool>& running) : running_(running) {
    if (running_.exchange(true,
                          memory_order_acquire)) {  // acquire: what the last run left; pairs with the release below
      throw usage_error(
          "tactus::runtime::run was called while this runtime runs another body; make a runtime for each, or wait for "
          "the first one");
    }
  }
  ~only_run() { running_.store(false, memory_order_release); }  // release: see above
  only_run(const only_run&) = delete;
  only_run& operator=(const only_run&) = delete;

private:
  atomic<bool>& running_;
};

class active_run {
public:
  explicit active_run(run_control& run) : run_(run) { list_active_run(run_); }
  ~active_run() { unlist_active_run(run_); }
  active_run(const active_run&) = delete;
  active_run& operator=(const active_run&) = delete;

private:
  run_control& run_;
};

// run may be called inside a catch block: its tasks are not.
class exceptions_put_aside {
public:
  exceptions_put_aside() : handled_(*this_thread_exception_state()) { *this_thread_exception_state() = {}; }
  ~exceptions_put_aside() { *this_thread_exception_state() = handled_; }
  exceptions_put_aside(const exceptions_put_aside&) = delete;
  exceptions_put_aside& operator=(const exceptions_put_aside&) = delete;

private:
  const exception_state handled_;
};

// Whatever the root task leaves behind, the caller finds its own.
class floats_put_aside {
public:
  floats_put_aside() = default;
  ~floats_put_aside() { of_caller_.enter(); }
  floats_put_aside(const floats_put_aside&) = delete;
  floats_put_aside& operator=(const floats_put_aside&) = delete;

  [[nodiscard]] const float_environment& of_caller() const noexcept { return of_caller_; }

private:
  const float_environment of_caller_ = float_environment::of_thread();
};

std::size_t processors_for(const launch& process) {
  const std::size_t usable = affinity_processors().size();
  const long all = ::sysconf(_SC_NPROCESSORS_ONLN);
  return all <= 0 ? usable : process.share_of(usable, static_cast<std::size_t>(all));
}

}  // namespace

run_control::run_control(config options, const launch& process)
    : options_(std::move(options)),
      job_(join(process)),
      processors_(processors_for(process)),
      externals_(new external_count(this)) {
  watch_for_fork();
  static atomic<std::uint64_t> runtimes{0};
  const std::uint64_t number = runtimes.fetch_add(1, memory_order_relaxed) + 1;  // relaxed: only uniqueness matters
  const int first = job_ != nullptr ? process.rank : 0;
  const int places_here = job_ != nullptr ? 1 : options_.places;
  for (int p = 0; p < places_here; ++p) {
    places_.push_back(std::make_unique<scheduler>(*this, number_of_home(number, first + p), options_,
                                                  place_seat{first + p, p * options_.threads}));
  }
  for (const auto& p : places_) {
    p->set_remote(make_remote_side(*p));
  }
  for (const auto& p : places_) {
    for (int i = 0; i < p->size(); ++i) {
      workers_.push_back(&p->at(i));
    }
  }
  share_processors_with(workers_.size());
  root_stack_ = home().make_root_stack();
  home().reserve_for_caller();
  handle_hang_signal();
  if (options_.seed != 0) {
    seeded_ = std::make_unique<seeded_order>(workers_, options_.seed);
    for (const auto& p : places_) {
      p->set_seeded(seeded_.get());
    }
  }
  runtime_starts(*this);  // from here on a failure has to take it back
  try {
    start_threads();
  } catch (...) {
    taken_back_ = true;
    stop_threads();
    runtime_ends(*this);  // the destructor does not run
    throw;
  }
}

void run_control::start_threads() {
  if (seeded_ == nullptr) {  // else whoever calls run_root() is all workers
    for (const auto& p : places_) {
      p->start_threads();
    }
  }
  try {
    watchdog_.start();
  } catch (const std::system_error& e) {
    throw resource_error("tactus: could not start the watchdog (" + std::string(e.what()) +
                         "); lower threads (TACTUS_THREADS)");
  }
}

// Workers tell each other that they fall asleep: what carries that goes after all of them.
void run_control::stop_threads() noexcept {
  for (const auto& p : places_) {
    p->stop_threads();
  }
  for (const auto& p : places_) {
    if (remote_side* const others = p->remote(); others != nullptr) {
      others->stop_threads();
    }
  }
}

run_control::~run_control() {
  watchdog_.stop();
  stop_threads();
  runtime_ends(*this);
  const foreign_visit last_one_has_left;
}

TACTUS_NO_SANITIZE void run_control::enter_root(worker* w, void (*body)(void*), void* argument) {
  stack_sanitizer::forget_frames(root_stack_->low, root_stack_->top());  // root_entry() never returns
  root_start s{w, body, argument};
  sanitizer_switch(leaving::for_now, w->native.sanitizer, w->running, root_stack_->context());
  tactus_call(&s, root_entry, root_stack_->top());
}

// What is still told of a verdict on the run before is not of this one: its number goes up first.
void run_control::begin_without_verdict() noexcept {
  {
    const std::lock_guard lock(verdict_mutex_);
    number_.store(number() + 1, memory_order_relaxed);  // relaxed: ordered by the locks
    deadlock_text_.clear();
  }
  for (const auto& p : places_) {
    p->idle().apart_from_looks([&p] { p->set_deadlocked(false); });
  }
}

void run_control::run_root(void (*body)(void*), void* argument, bool& has_begun) {
  check_that_a_run_may_begin();
  const only_run this_one(running_);
  const active_run listed(*this);
  const exceptions_put_aside of_the_caller;
  worker* const w = workers_.front();
  const worker_visit here(w);
  const floats_put_aside floats;
  for (const auto& p : places_) {
    p->set_floats(floats.of_caller());
  }
  w->floats = floats.of_caller();
  remote_side* const others = home().remote();
  if (others != nullptr) {
    others->check_that_a_run_may_begin();
  }
  begin_without_verdict();
  has_begun = true;
  if (others != nullptr) {
    others->run_begins(w);
  }
  active_.store(true, memory_order_release);  // read by workers that look for a deadlock
  if (seeded_) {
    seeded_->restart();
  }
  const auto wall_before = std::chrono::steady_clock::now();
  const auto cpu_before = processor_time();
  if (others != nullptr) {
    others->run_is_under_way();
  }
  enter_root(w, body, argument);
  if (others != nullptr) {
    others->run_is_over();
  }
  // relaxed, both: the only writer, and each number stands for itself
  wall_.store(wall() + (std::chrono::steady_clock::now() - wall_before), memory_order_relaxed);
  cpu_.store(cpu() + (processor_time() - cpu_before), memory_order_relaxed);
  if (sites_ != nullptr) {
    sites_at_end_of_run(*sites_, job_ != nullptr ? home().place() : -1);
  }
  if (!options_.profile.empty()) {
    write_profile(*this);
  }
}

void run_control::end_of_root() noexcept {
  active_.store(false, memory_order_seq_cst);  // before the wake-up: its worker looks at it after announcing itself
  home().idle().wake(workers_.front());
}

bool run_control::has_unset_externals() const noexcept {
  return !externals_->is_zero() || !external_count::of_process().is_zero();
}

bool run_control::is_on_its_own() const noexcept {
  return is_active() && std::none_of(places_.begin(), places_.end(), [](const auto& p) { return p->may_get_work(); });
}

bool run_control::resolve_if_stuck(worker* w, std::uint64_t departures) {
  // From here on only a foreign thread can change anything, by a promise of its own that is unset or by letting the last handle of
  // something go, which it does in one visit.
  const foreign_visit nobody_reaches_in;
  if (!is_on_its_own() || home().work_in_sight() || !home().idle().nobody_left_since(departures)) {
    return false;
  }
  resolve_deadlock(w);
  return true;
}

void run_control::look_again() noexcept {
  for (const auto& p : places_) {
    p->idle().wake_one_for_sure();
  }
}

void run_control::share_processors_with(std::size_t workers) noexcept {
  for (const auto& p : places_) {
    p->set_oversubscribed(workers > processors_);
  }
}

}  // namespace tactus::detail
