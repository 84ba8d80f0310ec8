// SPDX-License-Identifier: Apache-2.0
// A task's registration on a barrier: how a child gets one, and how it ends. docs/protocols/clock.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/barrier.hpp>
#include <tactus/task/async.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tactus::detail {

struct sender;

/// One of the values of the task that is registered; the key is the barrier's.
struct membership : barrier_member {
  membership(barrier* b, std::uint64_t number) noexcept : membership(b, number, end) {}

  /// Makes it the running task's.
  void begin(worker* w, task_frame& task) noexcept {
    within = w->held;
    next = task.locals;
    task.locals = this;
  }

  /// Its end where it has not arrived, kept back as an arrival.
  void leave_later(worker* w) noexcept {
    const std::uint64_t what = (std::uint64_t{credit} + 1) * barrier_word::k_member;
    if (w->deferred.of == of && !w->seeded) [[likely]] {
      w->deferred.sum += what;
    } else {
      of->subtract_later(w, what);
    }
  }

  /// With the task, or with the body of the finish that it was made in.
  TACTUS_API static void end(local_value* v) noexcept;

  bool on_heap = false;
  bool goes_plainly = true;  ///< it signals and waits, without a bound, and runs no body of next_single
  bool leaves_later =
      false;  ///< its end may be kept back, as an arrival: the task was queued, and its loop looks after it
  std::uint32_t credit = 0;  ///< members that the barrier counts already, for children to come; 0 once it has arrived
  // What a task touches in each phase stands first, in one cache line of a registration on the heap.
  barrier* const of;
  const std::uint64_t ordinal;           ///< where it stands in the order of registration
  sender* sends_as = nullptr;            ///< at the barrier's accumulators; null before the first time
  std::uint64_t cell_key = 0;            ///< of the accumulator with cells that it has sent to last
  void* cell = nullptr;                  ///< its own there
  const finish_scope* within = nullptr;  ///< the innermost finish at its begin: children must be joined by the same
  finish_scope* made_in = nullptr;       ///< the finish with whose body it ends; null if it ends with the task
  std::uint64_t arrived_in = 0;          ///< the phase, if it has arrived; else the phase is the barrier's
  std::uint64_t next_ordinal = 0;        ///< of the next child; a multiple of k_ordinals: there is none at hand

protected:
  membership(barrier* b, std::uint64_t number, void (*end_of)(local_value*) noexcept) noexcept
      : barrier_member{{b->key(), end_of, nullptr}}, of(b), ordinal(number) {}
};

/// The task's membership with this key, of a clock or a phaser; null if there is none.
inline membership* find_member(const task_frame& task, std::uint64_t key) noexcept {
  for (local_value* v = task.locals; v != nullptr; v = v->next) {
    if (v->key == key) {
      return static_cast<membership*>(v);
    }
  }
  return nullptr;
}

/// Resumes, if it has not.
void resume_member(worker* w, membership& m) noexcept;

/// Resumes, if it has not, and waits. deadlock_error, resource_error, std::bad_alloc.
void advance_member(worker* w, membership& m, barrier_hint hint);

/// Takes back what was set apart for children that did not come. The member itself is pending, so the phase stays.
void return_credit(worker* w, membership& m) noexcept;

/// The number of a child to be registered by a parent that is pending, whom it takes one of its credit from.
std::uint64_t take_credit(membership& parent) noexcept;

/// The same for one that needs no credit.
inline std::uint64_t take_ordinal(membership& parent) noexcept {
  if (parent.next_ordinal % barrier::k_ordinals == 0) {
    parent.next_ordinal = parent.of->take_ordinals();
  }
  return parent.next_ordinal++;
}

[[noreturn]] void throw_stuck(const membership& m);

/// The worker of a task that may be a member somewhere: clock_use_error in an element of a lockstep, usage_error outside tasks, and
/// atomic_use_error in a block. Each names the call.
TACTUS_API worker* worker_of_member(const char* call, std::uint64_t key);

/// The calling task's membership with this key, or clock_use_error, which names the call.
membership& member_for(worker* w, std::uint64_t key, const char* call);

/// The same; also clock_use_error where the calling task may not register a child.
TACTUS_API membership& registrar_for(worker* w, std::uint64_t key);

/// Children that a member which has not arrived may still bring in without telling the barrier.
TACTUS_API void refill_credit(membership& m) noexcept;

inline std::uint64_t take_credit(membership& parent) noexcept {
  if (parent.credit == 0) [[unlikely]] {
    refill_credit(parent);
  }
  --parent.credit;
  return parent.next_ordinal++;
}

/// Registers a child to be spawned on the parent's clock, unless it is on it already.
TACTUS_API void register_child(spawn_attributes& all, membership& parent);

/// What a member that was queued, and whose parent had not arrived, leaves behind. Begins with the barrier: entry::member().
template <class Fn>
struct queued_member {
  barrier* of;
  std::uint64_t ordinal;
  Fn function;
};

/// run_queued() for it.
template <class Fn>
void run_queued_member(queued_task* t, worker* w) {
  task_frame frame;
  begin_queued(w, frame);
  auto* const queued = std::launder(reinterpret_cast<queued_member<Fn>*>(t->storage));
  membership m(queued->of, queued->ordinal);
  m.leaves_later = true;
  m.begin(w, frame);
  run_task_body(queued->function);
  if (frame.locals == &m && !m.arrived && m.sends_as == nullptr) [[likely]] {
    w = current_worker();  // the task may have gone on elsewhere
    m.leave_later(w);
  } else {
    end_task_frame(frame);
    w = current_worker();  // values of the task may suspend when they end
  }
  end_queued(w, frame, t);
  if (w->task == nullptr) {
    leave_for_next_of_block(w, &frame);
  }
}

/// Spawns f, registered on `key` alone.
template <class F>
void spawn_member(std::uint64_t key, F&& f) {
  using Fn = std::decay_t<F>;
  using queued = queued_member<Fn>;
  worker* w = current_worker();
  if (w == nullptr) [[unlikely]] {
    w = worker_of_member("async (or async_future) with clocked", key);
  }
  membership& parent = registrar_for(w, key);
  if constexpr (is_plain_closure<Fn> && fits_queued<queued>) {
    const work_deque::position position = w->deque.next_position();
    if (w->deque.is_short(position) && !parent.arrived) [[likely]] {
      queued_task* const t = w->tasks.take();
      ::new (static_cast<void*>(t->storage)) queued{parent.of, take_credit(parent), f};
      t->run = &run_queued_member<Fn>;
      push_queued(w, position, t, entry::member(t));
      return;
    }
  }
  spawn_attributes attributes{w->policy, nullptr, nullptr};
  register_child(attributes, parent);
  async_with<attribute_kinds{.registering = true}>(w, attributes, std::forward<F>(f));
}

}  // namespace tactus::detail
