// SPDX-License-Identifier: Apache-2.0
// How a task begins and ends, under each policy. work-stealing.txt, section 4 and figure 8; docs/protocols/finish.md.
#pragma once

#include <tactus/fiber/context.hpp>
#include <tactus/scheduler/scheduler.hpp>

#include <concepts>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// Evidence of the adaptive policy (docs/adr/0002-adaptive-policy.md): below so many queued entries, queueing is cheap and keeps
/// the stack flat.
inline constexpr std::int64_t k_short_deque = 4096;

/// What to do with an async when the deque is no longer short.
enum class adaptive_choice : std::uint8_t { queue, run_now, queue_and_step_back };
adaptive_choice choose_adaptively(worker* w) noexcept;

/// A spawner that has filled the deque goes behind the tasks that are ready.
void step_back();

/// A scheduling point of the seeded scheduler.
void seeded_step(worker* w) noexcept;

/// Keeps the exception being handled for the finish that the current task belongs to.
void keep_failure() noexcept;

/// Destroys what only few tasks have. Runs user code.
void end_extras(task_frame& frame) noexcept;

/// Runs the body of a task; nothing escapes.
template <class Fn>
TACTUS_ALWAYS_INLINE void run_task_body(Fn& function) noexcept {
  try {
    static_cast<void>(function());
  } catch (...) {
    keep_failure();
  }
}

TACTUS_ALWAYS_INLINE void end_task_frame(task_frame& frame) noexcept {
  if (frame.extras != nullptr || frame.locals != nullptr) [[unlikely]] {
    end_extras(frame);
  }
}

/// A closure too large or too strictly aligned to lie where tasks keep theirs: it lies on the heap.
template <class Fn>
class boxed {
public:
  template <class F>
  explicit boxed(std::in_place_t, F&& f) : function_(std::make_unique<Fn>(std::forward<F>(f))) {}
  decltype(auto) operator()() { return (*function_)(); }

private:
  std::unique_ptr<Fn> function_;
};

// ---- work first ----

inline constexpr std::size_t k_most_on_stack = 2048;  // of the 16 KiB that the smallest stack has
inline constexpr std::size_t k_strictest_on_stack = 64;

/// What a child finds at the top of its stack.
template <class Fn>
struct first_child {
  template <class F>
  explicit first_child(F&& f) : function(std::forward<F>(f)) {}

  Fn function;
  task_frame frame;
  strand* parent = nullptr;
  stack_top stack = nullptr;
};

TACTUS_ALWAYS_INLINE void offer_parent(worker* w, strand* parent, void* context, task_frame* child) {
  parent->context = context;
  w->task = child;
  w->deque.push(entry::continuation(parent));  // from here on thieves may go on with the parent
  w->idle->notify();
}

/// After the child: back to its parent, if that is still what this worker would do next.
TACTUS_NO_SANITIZE TACTUS_ALWAYS_INLINE void* leave_child(strand* parent, const void* child, stack_top stack) {
  worker* const w = current_worker();
  w->count_end();
  const entry next = w->deque.pop();
  // The address alone does not say that it is the same spawn: a parent that went on elsewhere may have spawned again from the same
  // frame. Its record names the child that runs on top of it, and ours is alive.
  if (next == entry::continuation(parent) && parent->child == child) [[likely]] {
    w->task = by_itself(parent->task);
    w->stacks.put(stack);
    context_sanitizer gone;
    sanitizer_switch(leaving::for_ever, gone, w->running, parent->sanitizer);
    return parent->context;
  }
  scheduler_loop(w, stack, next);
}

template <class Fn>
TACTUS_ALWAYS_INLINE void run_first_child(first_child<Fn>* child, void* context) {
  offer_parent(current_worker(), child->parent, context, &child->frame);
  run_task_body(child->function);
  std::destroy_at(std::addressof(child->function));
  end_task_frame(child->frame);
}

template <class Fn>
TACTUS_NO_SANITIZE void* first_child_main(void* argument, void* context) {
  auto* child = static_cast<first_child<Fn>*>(argument);
  run_first_child(child, context);
  child = by_itself(child);  // what follows is read again: one register to save in place of three
  return leave_child(child->parent, child, child->stack);
}

TACTUS_NO_SANITIZE TACTUS_ALWAYS_INLINE void call_child(worker* w, strand& parent, void* child, stack_top stack,
                                                        call_entry main) {
  sanitizer_switch(leaving::for_now, parent.sanitizer, w->running, w->stacks.context(stack));
  tactus_call(child, main, child);
}

/// Runs f as a child at once, on a stack of its own; the caller's continuation is open to thieves. Throws what copying f throws,
/// and resource_error: nothing was spawned then.
template <class F>
TACTUS_ALWAYS_INLINE void spawn_work_first(worker* w, task_extras* extras, F&& f) {
  using Fn = std::decay_t<F>;
  if constexpr (sizeof(Fn) > k_most_on_stack || alignof(Fn) > k_strictest_on_stack) {
    spawn_work_first(w, extras, boxed<Fn>(std::in_place, std::forward<F>(f)));
  } else {
    using record = first_child<Fn>;
    stack_top const stack = w->stacks.take();
    constexpr std::size_t alignment = alignof(record) > k_stack_alignment ? alignof(record) : k_stack_alignment;
    void* const place = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(stack) - sizeof(record)) &
                                                ~(std::uintptr_t{alignment} - 1));
    record* child = nullptr;
    if constexpr (std::is_nothrow_constructible_v<Fn, F>) {
      child = ::new (place) record(std::forward<F>(f));
    } else {
      try {
        child = ::new (place) record(std::forward<F>(f));
      } catch (...) {
        current_worker()->stacks.put(stack);
        throw;
      }
    }
    if constexpr (!std::is_trivially_copyable_v<Fn>) {
      w = current_worker();  // copying runs user code, which may have suspended
    }
    child->frame.extras = extras;
    child->stack = stack;
    strand here(strand::made_by_spawn{});
    here.finish = by_itself(w->held);
    here.task = by_itself(w->task);
    here.child = child;
    child->parent = &here;
    w->count_spawn();
    ++w->counters.spawned_work_first;
    if (w->exceptions->empty()) [[likely]] {
      call_child(w, here, child, stack, &first_child_main<Fn>);
    } else {
      const exception_state handled = *w->exceptions;
      *w->exceptions = {};
      call_child(w, here, child, stack, &first_child_main<Fn>);
      *current_worker()->exceptions = handled;
    }
  }
}

// ---- help first ----

template <class Fn>
void run_queued(queued_task* t, worker* w) {
  task_frame frame;
  frame.extras = by_itself(t->extras);
  frame.below = by_itself(w->task);
  w->task = &frame;
  Fn* const function = std::launder(reinterpret_cast<Fn*>(t->storage));
  run_task_body(*function);
  std::destroy_at(function);
  end_task_frame(frame);
  w = current_worker();  // the task may have gone on elsewhere
  w->tasks.put(t);
  w->count_end();
}

/// Queues f as a child of finish `under`, which the caller has counted.
template <class Fn, class F>
TACTUS_ALWAYS_INLINE queued_task* make_queued(worker* w, task_extras* extras, F&& f) {
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
  t->run = &run_queued<Fn>;
  t->extras = extras;
  return t;
}

template <class Fn>
TACTUS_NOINLINE void unmake_queued(worker* w, queued_task* t) noexcept {
  std::destroy_at(std::launder(reinterpret_cast<Fn*>(t->storage)));
  w->tasks.put(t);
}

/// Queues f as a child; never moves or suspends the caller. Throws what copying f throws and std::bad_alloc: nothing was
/// spawned then.
template <class F>
TACTUS_ALWAYS_INLINE void spawn_help_first(worker* w, task_extras* extras, F&& f) {
  using Fn = std::decay_t<F>;
  if constexpr (sizeof(Fn) > queued_task::k_inline_bytes || alignof(Fn) > alignof(void*)) {
    spawn_help_first(w, extras, boxed<Fn>(std::in_place, std::forward<F>(f)));
  } else {
    queued_task* const t = make_queued<Fn>(w, extras, std::forward<F>(f));
    if constexpr (!std::is_trivially_copyable_v<Fn>) {
      w = current_worker();  // copying runs user code, which may have suspended
    }
    t->finish = by_itself(w->held);
    w->count_spawn();  // before the push: who takes the task counts its end
    try {
      w->deque.push(entry::task(t));
    } catch (...) {
      w->count_end();
      unmake_queued<Fn>(w, t);
      throw;
    }
    ++w->counters.spawned_help_first;
    w->idle->notify();
  }
}

/// Queues f as a task of `under`, which has something outstanding but need not be held by w. For what cannot fail to be queued.
template <class F>
void queue_under(worker* w, finish_scope* under, F f) noexcept {
  static_assert(sizeof(F) <= queued_task::k_inline_bytes && std::is_nothrow_move_constructible_v<F>);
  queued_task* const t = make_queued<F>(w, nullptr, std::move(f));
  t->finish = under;
  under->count_from_outside();
  w->deque.push(entry::task(t));
  ++w->counters.spawned_help_first;
  w->idle->notify();
}

// ---- adaptive ----

/// What `policy` makes of one async.
TACTUS_ALWAYS_INLINE adaptive_choice choose(worker* w, spawn_policy policy) noexcept {
  switch (policy) {
    case spawn_policy::work_first: return adaptive_choice::run_now;
    case spawn_policy::help_first: return adaptive_choice::queue;
    case spawn_policy::adaptive: break;
  }
  ++w->task->spawned;
  return w->deque.size_at_most() < k_short_deque ? adaptive_choice::queue : choose_adaptively(w);
}

/// Spawns f under `policy`; extras become the child's. Throws before anything was spawned; extras are the caller's then.
/// The closure is handed on by inlined code only, so that it need not exist in memory before it is in its place.
template <class F>
TACTUS_ALWAYS_INLINE void spawn(worker* w, spawn_policy policy, task_extras* extras, F&& f) {
  if (w->seeded) [[unlikely]] {
    seeded_step(w);
  }
  const adaptive_choice choice = choose(w, policy);
  if (choice == adaptive_choice::run_now) {
    spawn_work_first(w, extras, std::forward<F>(f));
    return;
  }
  spawn_help_first(w, extras, std::forward<F>(f));
  if (choice == adaptive_choice::queue_and_step_back) [[unlikely]] {
    step_back();
  }
}

}  // namespace tactus::detail
