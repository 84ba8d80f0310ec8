// SPDX-License-Identifier: Apache-2.0
// Life of a scheduler.

#include <tactus/scheduler/scheduler.hpp>

#include <tactus/base/cpus.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/probe.hpp>
#include <tactus/fiber/context.hpp>
#include <tactus/fiber/overflow.hpp>

#include "scheduler/seeded.hpp"

#include <cstdio>
#include <limits>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

extern "C" {
__attribute__((used)) __thread tactus::detail::worker* tactus_this_worker __attribute__((tls_model("initial-exec"))) =
    nullptr;
}

namespace tactus::detail {
namespace {

constexpr std::size_t k_root_stack_bytes = std::size_t{8} << 20;

std::chrono::nanoseconds processor_time() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

const char* running_task_name() noexcept {
  const worker* const w = this_worker_out_of_line();
  return w != nullptr && w->task != nullptr ? w->task->name() : nullptr;
}

std::size_t running_stack_bytes() noexcept {
  const worker* const w = this_worker_out_of_line();
  return w != nullptr ? w->owner->options().stack_bytes : 0;
}

constexpr overflow_answers k_overflow_answers{running_task_name, running_stack_bytes};

struct native_start {
  worker* w;
  stack_top stack;
};

TACTUS_NO_SANITIZE void* serve_entry(void* argument, void* saved) {
  const native_start s = *static_cast<native_start*>(argument);
  s.w->native.context = saved;
  scheduler_loop(s.w, s.stack, {});
}

struct root_start {
  worker* w;
  void (*body)(void*);
  void* argument;
};

bool end_run(wait_point&) {
  current_worker()->owner->finish_run();
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
  park_here(w, over, stack_pool::at_limit::exceed);  // for ever: the stack is reused by the next run
  __builtin_unreachable();
}

// Keeps a worker on one processor, and puts the thread back where it was.
class pinned {
public:
  pinned(const config& options, int id) {
    if (options.bind == binding::core && ::sched_getaffinity(0, sizeof before_, &before_) == 0) {
      const std::vector<int> usable = affinity_processors();
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<std::size_t>(usable[static_cast<std::size_t>(id) % usable.size()]), &one);
      pinned_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
    }
  }
  ~pinned() {
    if (pinned_) {
      ::sched_setaffinity(0, sizeof before_, &before_);
    }
  }
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;

private:
  cpu_set_t before_{};
  bool pinned_ = false;
};

}  // namespace

worker* this_worker_out_of_line() noexcept {
  worker* w = tactus_this_worker;
  asm volatile("" : "+r"(w)::"memory");
  return w;
}

worker::worker(scheduler* owner_scheduler, int number, const config& options)
    : policy(options.policy),
      seeded(options.seed != 0),
      with_care(seeded || !options.trace.empty()),
      owner(owner_scheduler),
      id(number),
      random(options.seed, static_cast<std::uint64_t>(number)) {
  constexpr std::int64_t never = -1;
  constexpr std::int64_t any_length = std::numeric_limits<std::int32_t>::max();
  if (seeded) {
    only_the_body = 0;  // a finish that is being closed has its body outstanding
  }
  if (with_care) {
    deque.be_patient_for(never);
  } else {
    const bool work_first = policy == spawn_policy::work_first;
    children_first = work_first ? std::numeric_limits<std::int64_t>::max() : 0;  // more than any program spawns
    deque.be_patient_for(policy == spawn_policy::adaptive     ? k_short_deque
                         : policy == spawn_policy::help_first ? any_length
                                                              : never);
  }
}

scheduler::scheduler(const config& options)
    : options_(options),
      oversubscribed_(static_cast<std::size_t>(options.threads) > affinity_processors().size()),
      stacks_(options.stack_bytes, options.memory_bytes),
      idle_(static_cast<std::size_t>(options.threads),
            options.seed != 0 ? idle_set::order::plain_fences : idle_set::order::cheap_notify) {
  for (int i = 0; i < options_.threads; ++i) {
    auto w = std::make_unique<worker>(this, i, options_);
    w->idle = &idle_;
    w->stack_mask = stacks_.stack_bytes() - 1;
    w->half_stack = stacks_.stack_bytes() / 2;
    w->room_to_run_on_top = w->seeded ? std::numeric_limits<std::uintptr_t>::max() : w->half_stack;
    w->stacks.attach(&stacks_, &w->counters);
    w->tasks.attach(&depot_, &w->counters);
    workers_.push_back(std::move(w));
  }
  arrange_victims();
  root_stack_ = stacks_.make_single(k_root_stack_bytes);
  handle_hang_signal();
  scheduler_starts(*this);
  if (options_.seed != 0) {
    seeded_ = std::make_unique<seeded_order>(this, options_.seed);
    return;
  }
  threads_.reserve(workers_.size() - 1);
  try {
    for (std::size_t i = 1; i < workers_.size(); ++i) {
      threads_.emplace_back([this, w = workers_[i].get()] { thread_main(w); });
    }
    if (options_.watchdog_seconds > 0) {
      watchdog_ = std::thread([this] { watch(); });
    }
  } catch (const std::system_error& e) {
    stop_threads();
    scheduler_ends(*this);  // the destructor does not run
    const std::string which = threads_.size() + 1 == workers_.size() ? "the watchdog"
                                                                     : "worker " + std::to_string(threads_.size() + 1) +
                                                                           " of " + std::to_string(workers_.size());
    throw resource_error("tactus: could not start " + which + " (" + e.what() + "); lower threads (TACTUS_THREADS)");
  }
}

scheduler::~scheduler() {
  stop_threads();
  scheduler_ends(*this);
  const foreign_visit last_one_has_left;
}

void scheduler::stop_threads() noexcept {
  stopping_.store(
      true, memory_order_seq_cst);  // before the wake-ups; a worker that has announced itself looks at it once more
  if (watchdog_.joinable()) {
    {
      const std::lock_guard hold(watchdog_mutex_);
      watchdog_ends_ = true;
    }
    watchdog_wake_.notify_one();
    watchdog_.join();
  }
  // A worker may be between two looks: wake until each has gone.
  idle_.wake_all();
  for (std::thread& t : threads_) {
    t.join();
  }
}

void scheduler::thread_main(worker* w) {
  char name[16];
  std::snprintf(name, sizeof name, "tactus-%d", w->id);
  ::pthread_setname_np(::pthread_self(), name);
  const pinned here(options_, w->id);
  const overflow_reporting reporting(k_overflow_answers);
  set_this_worker(w);
  w->exceptions = this_thread_exception_state();
  w->running = sanitizer_this_thread();
  w->thread = ::pthread_self();
  w->listens.store(true, memory_order_release);  // who signals sees the line above
  serve(w);
  w->listens.store(false, memory_order_relaxed);  // relaxed: a signal that comes later is not answered
  w->stacks.drain();
  set_this_worker(nullptr);
}

TACTUS_NO_SANITIZE void scheduler::serve(worker* w) {
  native_start s{w, w->stacks.take(stack_pool::at_limit::exceed)};
  sanitizer_switch(leaving::for_now, w->native.sanitizer, w->running, w->stacks.context(s.stack));
  tactus_call(&s, serve_entry, s.stack);
}

TACTUS_NO_SANITIZE void scheduler::enter_root(worker* w, void (*body)(void*), void* argument) {
  stack_sanitizer::forget_frames(root_stack_->low, root_stack_->top());  // root_entry() never returns
  root_start s{w, body, argument};
  sanitizer_switch(leaving::for_now, w->native.sanitizer, w->running, root_stack_->context());
  tactus_call(&s, root_entry, root_stack_->top());
}

void scheduler::run_root(void (*body)(void*), void* argument) {
  worker* const w = workers_[0].get();
  const pinned here(options_, 0);
  const overflow_reporting reporting(k_overflow_answers);
  const exception_state handled = *this_thread_exception_state();
  *this_thread_exception_state() = {};  // run may be called inside a catch block: its tasks are not
  set_this_worker(w);
  w->exceptions = this_thread_exception_state();
  w->running = sanitizer_this_thread();
  w->thread = ::pthread_self();
  w->listens.store(true, memory_order_release);    // as in thread_main()
  unanswered_.store(0, memory_order_relaxed);      // relaxed: nobody has been asked in this run
  deadlocked_.store(false, memory_order_relaxed);  // relaxed: no task is running
  deadlock_text_.clear();
  run_active_.store(true, memory_order_release);  // read by workers that look for a deadlock
  if (seeded_) {
    seeded_->restart();
  }
  const auto wall_before = std::chrono::steady_clock::now();
  const auto cpu_before = processor_time();
  set_active_scheduler(this);
  enter_root(w, body, argument);
  set_active_scheduler(nullptr);
  w->listens.store(false, memory_order_relaxed);  // as in thread_main()
  wall_ += std::chrono::steady_clock::now() - wall_before;
  cpu_ += processor_time() - cpu_before;
  set_this_worker(nullptr);
  *this_thread_exception_state() = handled;
}

void scheduler::finish_run() noexcept {
  run_active_.store(false, memory_order_seq_cst);  // before the wake-up: worker 0 looks at it after announcing itself
  idle_.wake(workers_[0].get());
}

bool scheduler::leave_requested(const worker* w) const noexcept {
  return (w->id == 0 && !run_active_.load(memory_order_seq_cst)) ||
         stopping_.load(memory_order_seq_cst);  // pairs with the two stores above
}

void scheduler::send(strand* s) noexcept {
  inbox_.send(s);
  idle_.notify();
}

fiber_stack* scheduler::stack_of(void* address) noexcept {
  const auto a = reinterpret_cast<std::uintptr_t>(address);
  const auto root_end = reinterpret_cast<std::uintptr_t>(root_stack_);
  if (a < root_end && root_end - a < k_root_stack_bytes) {
    return root_stack_;
  }
  return stacks_.control_block_around(a);
}

barrier* scheduler::take_barrier() {
  const std::lock_guard lock(barriers_mutex_);
  if (free_barriers_.empty()) {
    if (free_barriers_.capacity() <= barriers_.size()) {
      free_barriers_.reserve(2 * barriers_.size() + 16);
    }
    barriers_.push_back(std::make_unique<barrier>(this));
    return barriers_.back().get();
  }
  barrier* const b = free_barriers_.back();
  free_barriers_.pop_back();
  return b;
}

void scheduler::put_barrier(barrier* b) noexcept {
  const std::lock_guard lock(barriers_mutex_);
  free_barriers_.push_back(b);
}

}  // namespace tactus::detail
