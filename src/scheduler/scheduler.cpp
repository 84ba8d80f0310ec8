// SPDX-License-Identifier: Apache-2.0
// Life of a scheduler, and where a worker finds its next work.

#include <tactus/scheduler/scheduler.hpp>

#include <tactus/base/cpus.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/probe.hpp>
#include <tactus/base/topology.hpp>
#include <tactus/fiber/context.hpp>
#include <tactus/fiber/overflow.hpp>

#include "scheduler/seeded.hpp"

#include <algorithm>
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
constexpr std::size_t k_steal_batch = 64;
constexpr std::uint32_t k_inbox_period = 61;  // prime, so that it does not beat with the program's own periods
constexpr std::chrono::nanoseconds k_cost_of_an_entry{40};   // to take one and to have it taken
constexpr std::chrono::nanoseconds k_cost_of_a_member{150};  // that, and to be released by somebody else
constexpr std::chrono::nanoseconds k_cost_of_a_strand{300};  // whose stack moves
constexpr std::chrono::nanoseconds k_shortest_alone{5'000};
constexpr std::chrono::nanoseconds k_longest_alone{50'000};
constexpr std::chrono::nanoseconds k_nap{20'000};  // of which Linux makes about 70 us
constexpr int k_search_rounds = 48;                // about 50 us of looking before a worker sleeps
constexpr int k_rounds_of_patience = 7;            // about 2 us
constexpr int k_longest_pause = 7;                 // 2^7 pauses between two looks, at most

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
    throw resource_error("tactus: could not start worker " + std::to_string(threads_.size() + 1) + " of " +
                         std::to_string(options_.threads) + " (" + e.what() + "); lower threads (TACTUS_THREADS)");
  }
}

// Where workers are not bound, none is known to be near another.
void scheduler::arrange_victims() {
  if (options_.bind != binding::core || options_.seed != 0) {
    victims_.emplace_back(workers_.size());
    return;
  }
  const std::vector<int> usable = affinity_processors();
  std::vector<int> processor_of(workers_.size());
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    processor_of[i] = usable[i % usable.size()];
  }
  for (const int own : processor_of) {
    const std::vector<std::vector<int>> around = neighbourhoods(own);
    std::vector<std::size_t> distances(workers_.size());
    std::transform(processor_of.begin(), processor_of.end(), distances.begin(),
                   [&around](int other) { return distance_to(other, around); });
    victims_.emplace_back(distances);
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

queued_task* scheduler::take_queued(worker* w) noexcept {
  queued_task* const t = w->invited.take();
  return t != nullptr ? t : shared_.take();
}

bool scheduler::take_inbox(worker* w) noexcept {
  strand* s = inbox_.take_all();
  if (s == nullptr) {
    return false;
  }
  while (s != nullptr) {
    strand* const next = s->next;
    w->deque.push(entry::continuation(s));
    s = next;
  }
  idle_.notify();
  return true;
}

entry scheduler::next_work(worker* w) {
  for (;;) {
    seeded_point(w);
    seeded_stir(w);
    if (++w->turns % k_inbox_period == 0) {
      take_inbox(w);
    }
    if (const entry e = w->next_released_entry(); e) {
      return e;
    }
    if (const entry e = w->deque.pop(); e) {
      return e;
    }
    if (queued_task* const t = take_queued(w); t != nullptr) {
      return entry::task(t);
    }
    if (w->kept.sum != 0) {
      w->hand_in_arrivals();  // may turn the phase, and then there are strands to go on with
      continue;
    }
    if (take_inbox(w)) {
      continue;
    }
    if (strand* const s = w->late.pop(); s != nullptr) {
      return entry::continuation(s);
    }
    if (w->held != nullptr) {
      w->flush_all();  // dry: what this worker counted may complete a finish, whose body is then ready here
      continue;
    }
    if (leave_requested(w)) {
      if (w->seeded && w->id == 0) {
        seeded_->settle(w);
      }
      return {};
    }
    if (const entry e = search(w); e) {
      return e;
    }
  }
}

entry scheduler::try_steal(worker* w, bool patient) {
  const victims& nearest_first = victims_[victims_.size() == 1 ? 0 : static_cast<std::size_t>(w->id)];
  return nearest_first.first_of(w->random, [this, w, patient](std::size_t other) {
    worker* const victim = workers_[other].get();
    return victim == w ? entry() : try_steal_from(w, victim, patient);
  });
}

entry scheduler::try_steal_from(worker* w, worker* victim, bool patient) {
  seeded_point(w);
  if (!victim->deque.looks_empty()) {
    ++w->counters.steals_tried;
    entry batch[k_steal_batch];
    const std::size_t got = victim->deque.steal_batch(batch, k_steal_batch);
    if (got != 0) {
      ++w->counters.steals_won;
      if (w->timeline != nullptr) {
        trace_steal(w, victim->id, got);
      }
      if (batch[0].is_continuation()) {
        ++w->counters.continuations_stolen;
      } else {
        w->counters.tasks_stolen += got;
        w->loot.entries = got;
        w->loot.cost = batch[0].is_member() ? k_cost_of_a_member : k_cost_of_an_entry;
        w->loot.since = std::chrono::steady_clock::now();
      }
      for (std::size_t k = got; k > 1; --k) {
        __builtin_prefetch(batch[k - 1].pointer());
        w->deque.push(batch[k - 1]);  // the oldest last, so that it is the first to be run here
      }
      return batch[0];
    }
  }
  if (strand* const s = victim->late.pop(); s != nullptr) {
    ++w->counters.steals_won;
    ++w->counters.continuations_stolen;
    return entry::continuation(s);
  }
  if (patient) {
    return {};  // what is best left to the worker that it lies with
  }
  if (strand* const s = steal_released(w, victim); s != nullptr) {
    return entry::continuation(s);
  }
  if (queued_task* const t = victim->invited.take(); t != nullptr) {
    ++w->counters.invited_taken;
    return entry::task(t);
  }
  return {};
}

strand* scheduler::steal_released(worker* w, worker* victim) noexcept {
  if (victim->released.looks_empty()) {
    return nullptr;
  }
  ++w->counters.steals_tried;
  const released_work::block b = victim->released.steal();
  strand* s = nullptr;
  if (b.first != b.last) {
    const auto n = static_cast<std::size_t>(b.last - b.first);
    w->counters.continuations_stolen += n;
    w->loot.entries = n;
    w->loot.cost = k_cost_of_a_strand;
    w->loot.since = std::chrono::steady_clock::now();
    s = w->adopt(b);
  } else if (released_range* const ranges = victim->released.more.take_all(); ranges != nullptr) {
    w->adopt(ranges);
    s = w->next_released();
  }
  if (s != nullptr) {
    ++w->counters.steals_won;
  }
  return s;
}

// A thief that was through with a batch sooner than taking it cost itself and its victim lets the victim alone for a while: each
// entry moves two cache lines to and fro, and who makes very small tasks is faster without that help (docs/protocols/deque.md).
void scheduler::let_the_victim_alone(worker* w) const noexcept {
  const std::size_t taken = std::exchange(w->loot.entries, 0);
  if (taken == 0) {
    return;  // it had its own work since
  }
  if (w->seeded || taken < k_steal_batch / 8) {
    w->loot.pause = {};
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - w->loot.since >= taken * w->loot.cost) {
    w->loot.pause = {};
    return;
  }
  w->loot.pause = std::clamp(4 * w->loot.pause, k_shortest_alone, k_longest_alone);
  // What a barrier releases has to be seen at once. Otherwise a thread that does nothing but look at the clock takes half of what the
  // victim has, where the two share a core.
  const bool may_nap = w->loot.cost == k_cost_of_an_entry && w->loot.pause > k_shortest_alone;
  while (std::chrono::steady_clock::now() - now < w->loot.pause && inbox_.looks_empty() && w->released.looks_empty() &&
         !leave_requested(w)) {
    if (may_nap) {
      nap(k_nap);
    } else {
      pause_between_looks(w, k_longest_pause);
    }
  }
}

entry scheduler::search(worker* w) {
  let_the_victim_alone(w);  // not searching meanwhile: who makes work wakes a sleeper
  idle_.begin_search();
  for (;;) {
    for (int round = 0; round < k_search_rounds; ++round) {
      take_inbox(w);
      entry e = w->deque.pop();  // from the inbox, or made ready while this worker resolved a deadlock
      if (!e) {
        e = w->next_released_entry();
      }
      if (queued_task* const t = e ? nullptr : take_queued(w); t != nullptr) {
        e = entry::task(t);
      }
      if (!e) {
        // Released strands are best left to the worker that they ran on, and invited tasks to the one they are for, if that
        // is through with them soon.
        e = try_steal(w, round < k_rounds_of_patience && !w->seeded);
      }
      if (e || leave_requested(w)) {
        idle_.end_search();
        if (e && (!w->deque.looks_empty() || !w->released.looks_empty() || has_queued(w))) {
          idle_.notify();
        }
        return e;
      }
      if (workers_.size() == 1 || w->seeded) {
        break;
      }
      pause_between_looks(w, round);
    }
    park(w);
  }
}

// What a barrier releases for this worker ends the pause: the line is this worker's own until then.
void scheduler::pause_between_looks(worker* w, int round) const noexcept {
  if (oversubscribed_ && round >= k_longest_pause) {
    ::sched_yield();  // whoever has the work may need this processor
    return;
  }
  for (int i = 1 << std::min(round, k_longest_pause); i > 0 && w->released.looks_empty(); --i) {
    cpu_relax();
  }
}

bool scheduler::work_in_sight() const noexcept {
  if (!inbox_.looks_empty() || !shared_.looks_empty()) {
    return true;
  }
  return std::any_of(workers_.begin(), workers_.end(), [](const auto& v) {
    return !v->deque.looks_empty() || !v->late.looks_empty() || !v->released.looks_empty() || !v->invited.looks_empty();
  });
}

bool scheduler::stuck_possible() const noexcept {
  // acquire: a promise that is gone has made its waiters visible before; pairs with external_promise_done() (P4)
  return run_active_.load(memory_order_acquire) && g_external_unset.load(memory_order_acquire) == 0;
}

void scheduler::park(worker* w) {
  idle_.announce(w);
  for (;;) {
    seeded_point(w);
    if (work_in_sight() || leave_requested(w)) {
      if (!idle_.withdraw(w)) {
        idle_.sleep(w);  // somebody has woken us already: returns at once
      }
      return;
    }
    std::uint64_t departures = 0;
    if (!stuck_possible() || !idle_.withdraw_if_all_asleep(w, departures)) {
      break;
    }
    // The only one awake: from here on only a foreign thread can change anything, and only if a promise of its own is unset.
    if (stuck_possible() && !work_in_sight() && idle_.nobody_left_since(departures)) {
      resolve_deadlock(w);
      return;
    }
    idle_.announce(w);
  }
  idle_.sleep(w);
}

}  // namespace tactus::detail
