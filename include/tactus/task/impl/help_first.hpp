// SPDX-License-Identifier: Apache-2.0
// A child that is queued while its parent goes on: in the worker's own deque, for all workers, or for one of them.
// work-stealing.txt, section 4.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/task/impl/task_body.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// The start of a queued task, on top of what w was doing.
TACTUS_ALWAYS_INLINE void begin_queued(worker* w, task_frame& frame) noexcept {
  frame.below = by_itself(w->task);
  w->task = &frame;
}

/// Its end, when its closure and its values are gone; on the worker that it has come to.
TACTUS_ALWAYS_INLINE void end_queued(worker* w, const task_frame& frame, queued_task* t) noexcept {
  w->task = by_itself(frame.below);
  w->count_end();
  w->tasks.put(t);
}

template <class Fn>
void run_queued(queued_task* t, worker* w) {
  task_frame frame;
  begin_queued(w, frame);
  Fn* const function = std::launder(reinterpret_cast<Fn*>(t->storage));
  run_task_body(*function);
  std::destroy_at(function);
  end_task_frame(frame);
  end_queued(current_worker(), frame, t);  // the task may have gone on elsewhere
}

/// Makes a descriptor of f, still without a finish.
template <class Fn, void (*Run)(queued_task*, worker*) = run_queued<Fn>, class F>
TACTUS_ALWAYS_INLINE queued_task* make_queued(worker* w, F&& f) {
  queued_task* const t = w->tasks.take();
  if constexpr (std::is_nothrow_constructible_v<Fn, F>) {
    ::new (static_cast<void*>(t->storage)) Fn(std::forward<F>(f));
  } else {
    try {
      ::new (static_cast<void*>(t->storage)) Fn(std::forward<F>(f));
    } catch (...) {
      current_worker()->tasks.put(t);
      throw;
    }
  }
  t->run = Run;
  return t;
}

template <class Fn>
TACTUS_NOINLINE void unmake_queued(queued_task* t) noexcept {
  std::destroy_at(std::launder(reinterpret_cast<Fn*>(t->storage)));  // runs user code, which may suspend
  current_worker()->tasks.put(t);
}

/// Whether a closure of this type fits into a descriptor as it is.
template <class Fn>
inline constexpr bool fits_queued = sizeof(Fn) <= queued_task::k_inline_bytes && alignof(Fn) <= alignof(void*);

/// Where a queued child goes.
struct queue_choice {
  enum class kind : std::uint8_t { own_deque, shared, of_worker };
  kind which = kind::own_deque;
  std::size_t worker = 0;  ///< of_worker: modulo the workers
};

/// Counts the child and queues it. Throws std::bad_alloc and resource_error: t is gone then, by `unmake`, and nothing was
/// spawned.
TACTUS_API void enqueue(worker* w, queued_task* t, queue_choice where, void (*unmake)(queued_task*) noexcept);

/// spawn_queued() for a child that has a name, which becomes the child's.
TACTUS_API void spawn_queued_named(task_name* name, any_closure f, queue_choice where);

/// Queues f as a child; never moves or suspends the caller. Throws what copying f throws and std::bad_alloc: nothing was spawned
/// then, and the name is the caller's.
template <class F>
void spawn_queued(worker* w, F&& f, task_name* name = nullptr, queue_choice where = {});

/// The same for a caller who wants it in his own frame.
template <class F>
TACTUS_ALWAYS_INLINE void queue_here(worker* w, F&& f, task_name* name, queue_choice where) {
  using Fn = std::decay_t<F>;
  if (name != nullptr) [[unlikely]] {
    spawn_queued_named(name, any_closure::make(std::forward<F>(f)), where);
    return;
  }
  if constexpr (!fits_queued<Fn>) {
    boxed<Fn> in_box(std::in_place, std::forward<F>(f));
    spawn_queued(current_worker(), std::move(in_box), nullptr, where);  // copying may have suspended
  } else {
    queued_task* const t = make_queued<Fn>(w, std::forward<F>(f));
    enqueue(current_worker(), t, where, &unmake_queued<Fn>);  // as above
  }
}

template <class F>
void spawn_queued(worker* w, F&& f, task_name* name, queue_choice where) {
  queue_here(w, std::forward<F>(f), name, where);
}

/// spawn_share() where there is a timeline.
TACTUS_API void spawn_traced_share(const char* name, any_closure f);

/// Queues f as a share of a loop; where there is a timeline it shows the share by this name. As spawn_queued().
template <class F>
void spawn_share(const char* name, F&& f) {
  if (worker* const w = current_worker(); w->timeline == nullptr) [[likely]] {
    spawn_queued(w, std::forward<F>(f));
  } else {
    spawn_traced_share(name, any_closure::make(std::forward<F>(f)));
  }
}

/// Counts t, complete but for its finish, as a child, and pushes it, as `e`, at a place of the own deque that has room.
TACTUS_ALWAYS_INLINE void push_queued(worker* w, work_deque::position position, queued_task* t, entry e) noexcept {
  t->finish = by_itself(w->held);
  w->count_spawn();  // before the push: who takes the task counts its end
  w->deque.push_at(position, e);
  ++w->counters.spawned_help_first;
  w->idle->notify();
}

/// spawn_queued() at a place of the own deque that has room, where nothing stands in the way; else false, and nothing has
/// happened.
template <class Fn>
TACTUS_ALWAYS_INLINE bool try_help_first(worker* w, work_deque::position position, const Fn& f) {
  if constexpr (is_plain_closure<Fn> && fits_queued<Fn>) {
    if (queued_task* const t = w->tasks.take_ready(); t != nullptr) [[likely]] {
      ::new (static_cast<void*>(t->storage)) Fn(f);
      t->run = &run_queued<Fn>;
      push_queued(w, position, t, entry::task(t));
      return true;
    }
  }
  return false;
}

/// Queues f as a task of `under`, which has something outstanding but need not be held by w. For what cannot fail to be queued: without
/// memory for it the process ends.
template <class F>
void queue_under(worker* w, finish_scope* under, F f) noexcept {
  static_assert(sizeof(F) <= queued_task::k_inline_bytes && std::is_nothrow_move_constructible_v<F>);
  queued_task* t = w->tasks.take_ready();
  if (t == nullptr) {
    t = w->tasks.take_or_end();
  }
  ::new (static_cast<void*>(t->storage)) F(std::move(f));
  t->run = &run_queued<F>;
  t->finish = under;
  under->count_from_outside();
  w->deque.push(entry::task(t));
  ++w->counters.spawned_help_first;
  w->idle->notify();
}

}  // namespace tactus::detail
