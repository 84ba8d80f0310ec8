// SPDX-License-Identifier: Apache-2.0
// A child that runs first, on a stack of its own, while its parent's continuation is open to thieves. work-stealing.txt, section 4.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/fiber/impl/context.hpp>
#include <tactus/scheduler/impl/exceptions_aside.hpp>
#include <tactus/task/impl/task_body.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tactus::detail {

inline constexpr std::size_t k_most_on_stack = 2048;  // of the 16 KiB that the smallest stack has
inline constexpr std::size_t k_strictest_on_stack = 64;

/// What a child finds at the top of its stack.
template <class Fn>
struct first_child {
  template <class F>
  explicit first_child(F&& f) : function(std::forward<F>(f)) {}

  static constexpr bool k_needs_stack = alignof(Fn) > k_stack_alignment;

  static first_child* place_below(stack_top stack) noexcept {
    const auto top = reinterpret_cast<std::uintptr_t>(stack);
    if constexpr (k_needs_stack) {
      return reinterpret_cast<first_child*>((top - sizeof(first_child)) & ~(std::uintptr_t{alignof(first_child)} - 1));
    } else {
      return reinterpret_cast<first_child*>(top - k_size_on_stack());
    }
  }
  [[nodiscard]] stack_top stack() const noexcept {
    if constexpr (k_needs_stack) {
      return stack_if_needed;
    } else {
      return reinterpret_cast<stack_top>(reinterpret_cast<std::uintptr_t>(this) + k_size_on_stack());
    }
  }

  Fn function;
  task_frame frame;
  continuation* parent;
  stack_top stack_if_needed;

private:
  static constexpr std::size_t k_size_on_stack() noexcept {
    return (sizeof(first_child) + k_stack_alignment - 1) / k_stack_alignment * k_stack_alignment;
  }
};

TACTUS_ALWAYS_INLINE void offer_parent(continuation* parent, void* context, task_frame* child) {
  worker* w = current_worker();
  parent->context = context;
  w->task = child;
  const work_deque::position p = w->deque.next_position();
  if (w->deque.has_room(p)) [[likely]] {
    w->deque.push_at(p, entry::continuation(parent));  // from here on thieves may go on with the parent
  } else {
    w->deque.push_growing(entry::continuation(parent));
    w = current_worker();  // the same: so that it need not outlive the call in a register
  }
  w->idle->notify();
}

/// leave_child() where the parent may be gone, or the stack finds no room in the cache.
TACTUS_API TACTUS_NOINLINE void* leave_child_slowly(continuation* parent, const void* child, stack_top stack,
                                                    work_deque::claim newest);

/// After the child: back to its parent, if that is still what this worker would do next.
TACTUS_NO_SANITIZE TACTUS_ALWAYS_INLINE void* leave_child(continuation* parent, const void* child, stack_top stack) {
  worker* const w = current_worker();
  w->count_end();
  const work_deque::claim newest = w->deque.begin_pop();
  // The address alone does not say that it is the same spawn: a parent that went on elsewhere may have spawned again from the same
  // frame. Its record names the child that runs on top of it, and ours is alive.
  if (newest.won() && w->deque.claimed(newest) == entry::continuation(parent) && parent->child == child &&
      w->stacks.has_room()) [[likely]] {
    w->task = by_itself(parent->task);
    w->stacks.put(stack);
    context_sanitizer gone;
    sanitizer_switch(leaving::for_ever, gone, w->running, parent->sanitizer);
    return parent->context;
  }
  return leave_child_slowly(parent, child, stack, newest);
}

template <class Fn>
TACTUS_ALWAYS_INLINE void run_first_child(first_child<Fn>* child, void* context) {
  offer_parent(child->parent, context, &child->frame);
  run_task_body(child->function);
  std::destroy_at(std::addressof(child->function));
  end_task_frame(by_itself(child)->frame);
}

template <class Fn>
TACTUS_NO_SANITIZE void* first_child_main(void* argument, void* context) {
  auto* child = static_cast<first_child<Fn>*>(argument);
  run_first_child(child, context);
  child = by_itself(child);  // what follows is read again: one register to save in place of three
  return leave_child(child->parent, child, child->stack());
}

/// Runs a child that is in its place. No exception is being handled, and w keeps no arrivals: the child may take long, and the
/// caller may go on elsewhere.
template <class Fn>
TACTUS_NO_SANITIZE TACTUS_ALWAYS_INLINE void call_child(worker* w, task_name* name, first_child<Fn>* child,
                                                        stack_top stack) {
  continuation here(continuation::made_by_spawn{});
  here.finish = by_itself(w->held);
  here.task = by_itself(w->task);
  here.child = child;
  child->parent = &here;
  child->frame.locals = name;
  if constexpr (first_child<Fn>::k_needs_stack) {
    child->stack_if_needed = stack;
  }
  w->count_spawn();
  ++w->counters.spawned_work_first;
  sanitizer_switch(leaving::for_now, here.sanitizer, w->running, w->stacks.context(stack));
  tactus_call(child, &first_child_main<Fn>, child);
}

/// Runs f as a child at once, on a stack of its own; the caller's continuation is open to thieves. Throws what copying f throws,
/// and resource_error: nothing was spawned then.
template <class F>
TACTUS_ALWAYS_INLINE void spawn_work_first(worker* w, task_name* name, F&& f) {
  using Fn = std::decay_t<F>;
  if constexpr (sizeof(Fn) > k_most_on_stack || alignof(Fn) > k_strictest_on_stack) {
    boxed<Fn> in_box(std::in_place, std::forward<F>(f));
    spawn_work_first(current_worker(), name, std::move(in_box));  // copying may have suspended
  } else {
    using record = first_child<Fn>;
    stack_top const stack = w->stacks.take();
    record* child = record::place_below(stack);
    if constexpr (std::is_nothrow_constructible_v<Fn, F>) {
      ::new (static_cast<void*>(child)) record(std::forward<F>(f));
    } else {
      try {
        ::new (static_cast<void*>(child)) record(std::forward<F>(f));
      } catch (...) {
        current_worker()->stacks.put(stack);
        throw;
      }
    }
    if constexpr (!is_plain_closure<Fn>) {
      w = current_worker();  // copying runs user code, which may have suspended
    }
    w->hand_in_arrivals();
    if (w->exceptions->empty()) [[likely]] {
      call_child(w, name, child, stack);
    } else {
      const exceptions_aside aside(w);
      call_child(w, name, child, stack);
    }
  }
}

/// spawn_work_first() where nothing stands in the way; else false, and nothing has happened.
template <class Fn>
TACTUS_ALWAYS_INLINE bool try_work_first(worker* w, const Fn& f) {
  if constexpr (is_plain_closure<Fn> && sizeof(Fn) <= k_most_on_stack && alignof(Fn) <= k_strictest_on_stack) {
    if (w->stacks.ready() && w->exceptions->empty() && w->deferred.sum == 0) [[likely]] {
      stack_top const stack = w->stacks.take();
      auto* const child = first_child<Fn>::place_below(stack);
      ::new (static_cast<void*>(child)) first_child<Fn>(f);
      call_child(w, nullptr, child, stack);
      return true;
    }
  }
  return false;
}

}  // namespace tactus::detail
