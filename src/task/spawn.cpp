// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/spawn.hpp>

#include <tactus/base/error.hpp>
#include <tactus/base/probe.hpp>
#include <tactus/task/task_local.hpp>

#include "scheduler/seeded.hpp"

#include <exception>

namespace tactus::detail {
namespace {

// A spawner that goes behind the ready tasks keeps a stack with at least one page in use. That is worth it only when it has
// queued as much itself: 64 descriptors of 64 bytes.
constexpr std::uint32_t k_prolific = 64;

// How many spawns one look at the deque is good for: its top lies in a cache line that thieves write, and reading it at each
// spawn made a producer twice as slow as either fixed policy.
constexpr std::int64_t k_spawns_per_look = 64;

// While thieves take from it, a deque may grow to here: about 9 MiB of descriptors and slots.
constexpr std::int64_t k_long_deque = 128 * 1024;

// Stacks out of the pool, those in the workers' caches included: about 20 MiB of pages.
constexpr std::size_t k_many_stacks = 2048;

// Evidence for the next spawns; reads what other workers write.
adaptive_choice look(worker* w) noexcept {
  const std::int64_t size = w->deque.size_seen_by_owner();
  const bool thieves_are_hungry = w->deque.taken_by_others_since_last_look();
  if (size < k_short_deque || (thieves_are_hungry && size < k_long_deque)) {
    return adaptive_choice::queue;
  }
  if (w->owner->stacks().outstanding() < k_many_stacks) {
    return adaptive_choice::run_now;
  }
  return adaptive_choice::queue_and_step_back;
}

}  // namespace

adaptive_choice choose_adaptively(worker* w) noexcept {
  if (++w->task->spawned < k_prolific) {
    return adaptive_choice::queue;
  }
  adaptive_choice choice = look(w);
  if (choice == adaptive_choice::run_now && !w->stacks.try_fill()) {
    choice = adaptive_choice::queue;
  }
  // What was found holds for the next spawns that leave the policy to the runtime; under the seeded scheduler each asks.
  if (!w->with_care && w->policy == spawn_policy::adaptive) {
    if (choice == adaptive_choice::run_now) {
      w->children_first = k_spawns_per_look - 1;
    } else {
      w->deque.widen(k_spawns_per_look);
    }
  }
  return choice;
}

void step_back() noexcept {
  ++current_worker()->counters.spawned_throttled;
  try {
    go_behind_ready_work();
    // NOLINTNEXTLINE(bugprone-empty-catch): there is no stack to step back to, and the child is queued all the same
  } catch (const std::exception&) {
  }
}

namespace {

// A closure whose task has a name.
class named_closure {
public:
  named_closure(task_name* name, any_closure f) noexcept : name_(name), function_(std::move(f)) {}
  void operator()() {
    current_worker()->task->locals = name_;
    function_();
  }

private:
  task_name* name_;  // the task's, once it runs
  any_closure function_;
};

// Returns whose idle workers want to hear of it: one for whom it lies best, or null.
worker* hand_over(worker* w, queued_task* t, queue_choice where) {
  if (where.which == queue_choice::kind::shared) {
    w->owner->shared().push(t);
    ++w->counters.spawned_shared;
    return nullptr;
  }
  if (where.which == queue_choice::kind::of_worker) {
    const auto workers = static_cast<std::size_t>(w->owner->size());
    if (worker* const wanted = w->owner->worker_number(where.worker % workers); wanted != w) {
      wanted->invited.push(t);
      ++w->counters.spawned_invited;
      return wanted;
    }
  }
  w->deque.push_or_throw(entry::task(t));
  ++w->counters.spawned_help_first;
  return nullptr;
}

}  // namespace

void put_queued(worker* w, queued_task* t, queue_choice where, void (*unmake)(queued_task*) noexcept) {
  t->finish = w->held;
  w->count_spawn();  // before others can see it: who takes the task counts its end
  try {
    if (worker* const best = hand_over(w, t, where); best != nullptr) {
      w->idle->notify(best);
      return;
    }
  } catch (...) {
    w->count_end();
    unmake(t);
    throw;
  }
  w->idle->notify();
}

void spawn_named(task_name* name, any_closure f, queue_choice where) {
  spawn_queued(current_worker(), nullptr, named_closure(name, std::move(f)), where);
}

namespace {

// From the begin of a traced task to its end.
class traced_stretch {
public:
  explicit traced_stretch(const char* label) : self_(label) {
    worker* const w = current_worker();
    trace_begin(w, self_);
    self_.next = w->task->locals;
    w->task->locals = &self_;
  }
  ~traced_stretch() {
    worker* const w = current_worker();
    if (self_.is_listed) {
      unlink_local(*w->task, &self_);
    }
    trace_end(w, self_);
  }
  traced_stretch(const traced_stretch&) = delete;
  traced_stretch& operator=(const traced_stretch&) = delete;

private:
  traced_task self_;
};

}  // namespace

void run_traced(const char* label, void (*body)(void*), void* argument) {
  const traced_stretch stretch(label);
  body(argument);
}

void traced_closure::operator()() {
  run_traced(label_, [](void* f) { (*static_cast<any_closure*>(f))(); }, &function_);
}

void spawn_traced(worker* w, spawn_policy policy, task_name* name, traced_closure f) {
  spawn_by_policy(w, policy, name, std::move(f));
  trace_go_on(current_worker());  // a child that ran first has ended, or the spawner is elsewhere
}

void seeded_step(worker* w) noexcept { seeded_point(w); }

void keep_failure() noexcept { current_worker()->held->add_failure(std::current_exception()); }

TACTUS_NO_SANITIZE void* leave_child_slowly(strand* parent, const void* child, stack_top stack,
                                            work_deque::claim newest) {
  worker* const w = current_worker();
  const entry next = w->deque.finish_pop(newest);
  if (next == entry::continuation(parent) && parent->child == child) {
    w->task = parent->task;
    w->stacks.put(stack);
    context_sanitizer gone;
    sanitizer_switch(leaving::for_ever, gone, w->running, parent->sanitizer);
    return parent->context;
  }
  scheduler_loop(w, stack, next);
}

}  // namespace tactus::detail
