// SPDX-License-Identifier: Apache-2.0
// A task's registration on a barrier: how a child gets one, and how it ends. docs/protocols/clock.md.
#pragma once

#include <tactus/scheduler/barrier.hpp>
#include <tactus/task/async.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// One of the values of the task that is registered; the key is the barrier's.
struct membership : barrier_member {
  explicit membership(barrier* b) noexcept : barrier_member{{b->key(), end, nullptr}}, of(b) {}

  /// Makes it the running task's.
  void begin(worker* w, task_frame& task) noexcept {
    within = w->held;
    next = task.locals;
    task.locals = this;
  }

  /// With the task, or with the body of the finish that it was made in.
  static void end(local_value* v) noexcept;

  barrier* const of;
  const finish_scope* within = nullptr;  ///< the innermost finish at its begin: children must be joined by the same
  finish_scope* made_in = nullptr;       ///< the finish with whose body it ends; null if it ends with the task
  std::uint32_t credit = 0;  ///< members that the barrier counts already, for children to come; 0 once it has arrived
  bool on_heap = false;
  bool leaves_later =
      false;  ///< its end may be kept back, as an arrival: the task was queued, and its loop looks after it
  std::uint64_t arrived_in = 0;  ///< the phase, if it has arrived; else the phase is the barrier's
};

/// The worker of a task that may be a member somewhere: clock_use_error in an element of a lockstep, usage_error outside tasks, and
/// atomic_use_error in a block. Each names the call.
worker* worker_of_member(const char* call);

/// The calling task's membership with this key, or clock_use_error, which names the call.
membership& member_for(worker* w, std::uint64_t key, const char* call);

/// The same; also clock_use_error where the calling task may not register a child.
membership& registrar_for(worker* w, std::uint64_t key);

/// Children that a member which has not arrived may still bring in without telling the barrier.
void refill_credit(membership& m) noexcept;

/// Registers a child to be spawned, unless it is on this barrier already.
void enrol_child(spawn_attributes& all, membership& parent);

/// The task of a member that was queued, and whose parent had not arrived. Begins with the barrier: entry::member().
template <class Fn>
class member_closure {
public:
  member_closure(barrier* of, const Fn& f) noexcept : of_(of), function_(f) {}

  void operator()() {
    worker* const w = current_worker();
    task_frame* const task = w->task;
    membership m(of_);
    m.leaves_later = true;
    m.begin(w, *task);
    run_task_body(function_);
    end_task_frame(*task);
  }

private:
  barrier* of_;
  Fn function_;
};

/// Spawns f, registered on `key` alone.
template <class F>
void spawn_member(std::uint64_t key, F&& f) {
  using Fn = std::decay_t<F>;
  using closure = member_closure<Fn>;
  worker* const w = worker_of_member("async (or async_future) with clocked");
  membership& parent = registrar_for(w, key);
  if constexpr (is_plain_closure<Fn> && sizeof(closure) <= queued_task::k_inline_bytes &&
                alignof(closure) <= alignof(void*)) {
    const work_deque::place place = w->deque.next_place();
    if (w->deque.is_short(place) && !parent.arrived) [[likely]] {
      queued_task* const t = make_queued<closure>(w, closure(parent.of, f));
      if (parent.credit == 0) [[unlikely]] {
        refill_credit(parent);
      }
      --parent.credit;
      t->finish = by_itself(w->held);
      w->count_spawn();  // before the push: who takes the task counts its end
      w->deque.push_at(place, entry::member(t));
      ++w->counters.spawned_help_first;
      w->idle->notify();
      return;
    }
  }
  spawn_attributes attributes{w->policy, nullptr, nullptr};
  enrol_child(attributes, parent);
  async_with(w, attributes, std::forward<F>(f));
}

}  // namespace tactus::detail
