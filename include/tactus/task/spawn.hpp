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

/// What to do with an async when the deque is no longer short.
enum class adaptive_choice : std::uint8_t { queue, run_now, queue_and_step_back, share };
adaptive_choice choose_adaptively(worker* w) noexcept;

/// A spawner that has filled the deque goes behind the tasks that are ready.
void step_back() noexcept;

/// A scheduling point of the seeded scheduler.
void seeded_step(worker* w) noexcept;

/// Keeps the exception being handled for the finish that the current task belongs to.
void keep_failure() noexcept;

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
  if (frame.locals != nullptr) [[unlikely]] {
    destroy_locals(frame);
  }
}

/// A closure of any type, on the heap: for what is rare enough that every closure being compiled for it once more would cost more.
class any_closure {
public:
  template <class F>
  static any_closure make(F&& f) {
    using Fn = std::decay_t<F>;
    return any_closure(
        new Fn(std::forward<F>(f)), [](void* o) { static_cast<void>((*static_cast<Fn*>(o))()); },
        [](void* o) noexcept { delete static_cast<Fn*>(o); });
  }
  any_closure(any_closure&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), call_(other.call_), destroy_(other.destroy_) {}
  any_closure& operator=(any_closure&&) = delete;
  ~any_closure() {
    if (object_ != nullptr) {
      destroy_(object_);
    }
  }
  void operator()() { call_(object_); }

private:
  any_closure(void* object, void (*call)(void*), void (*destroy)(void*) noexcept) noexcept
      : object_(object), call_(call), destroy_(destroy) {}

  void* object_;
  void (*call_)(void*);
  void (*destroy_)(void*) noexcept;
};

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

/// A closure that lies in its task without further thought: copying it runs no user code, so it can neither throw nor suspend.
template <class Fn>
inline constexpr bool is_plain_closure =
    std::is_trivially_copyable_v<Fn> && std::is_trivially_copy_constructible_v<Fn> &&
    std::is_trivially_destructible_v<Fn>;

/// One so small that a copy on the spawner's stack does not matter.
inline constexpr std::size_t k_most_copied = 256;

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
  strand* parent;
  stack_top stack_if_needed;

private:
  static constexpr std::size_t k_size_on_stack() noexcept {
    return (sizeof(first_child) + k_stack_alignment - 1) / k_stack_alignment * k_stack_alignment;
  }
};

TACTUS_ALWAYS_INLINE void offer_parent(strand* parent, void* context, task_frame* child) {
  worker* w = current_worker();
  parent->context = context;
  w->task = child;
  const work_deque::place p = w->deque.next_place();
  if (w->deque.has_room(p)) [[likely]] {
    w->deque.push_at(p, entry::continuation(parent));  // from here on thieves may go on with the parent
  } else {
    w->deque.push_growing(entry::continuation(parent));
    w = current_worker();  // the same: so that it need not outlive the call in a register
  }
  w->idle->notify();
}

/// leave_child() where the parent may be gone, or the stack finds no room in the cache.
TACTUS_NOINLINE void* leave_child_slowly(strand* parent, const void* child, stack_top stack, work_deque::claim newest);

/// After the child: back to its parent, if that is still what this worker would do next.
TACTUS_NO_SANITIZE TACTUS_ALWAYS_INLINE void* leave_child(strand* parent, const void* child, stack_top stack) {
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
  strand here(strand::made_by_spawn{});
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
      const exception_state handled = *w->exceptions;
      *w->exceptions = {};
      call_child(w, name, child, stack);
      *current_worker()->exceptions = handled;
    }
  }
}

/// spawn_work_first() where nothing stands in the way; else false, and nothing has happened.
template <class Fn>
TACTUS_ALWAYS_INLINE bool try_work_first(worker* w, const Fn& f) {
  if constexpr (is_plain_closure<Fn> && sizeof(Fn) <= k_most_on_stack && alignof(Fn) <= k_strictest_on_stack) {
    if (w->stacks.ready() && w->exceptions->empty() && w->kept.sum == 0) [[likely]] {
      stack_top const stack = w->stacks.take();
      auto* const child = first_child<Fn>::place_below(stack);
      ::new (static_cast<void*>(child)) first_child<Fn>(f);
      call_child(w, nullptr, child, stack);
      return true;
    }
  }
  return false;
}

// ---- help first ----

template <class Fn>
void run_queued(queued_task* t, worker* w) {
  task_frame frame;
  frame.below = by_itself(w->task);
  w->task = &frame;
  Fn* const function = std::launder(reinterpret_cast<Fn*>(t->storage));
  run_task_body(*function);
  std::destroy_at(function);
  end_task_frame(frame);
  w = current_worker();  // the task may have gone on elsewhere
  w->task = by_itself(frame.below);
  w->count_end();
  w->tasks.put(t);
}

/// Makes a descriptor of f, still without a finish.
template <class Fn, class F>
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
  t->run = &run_queued<Fn>;
  return t;
}

template <class Fn>
TACTUS_NOINLINE void unmake_queued(queued_task* t) noexcept {
  std::destroy_at(std::launder(reinterpret_cast<Fn*>(t->storage)));  // runs user code, which may suspend
  current_worker()->tasks.put(t);
}

/// Where a queued child goes.
struct queue_choice {
  enum class kind : std::uint8_t { own_deque, shared, of_worker };
  kind which = kind::own_deque;
  std::size_t worker = 0;  ///< of_worker: modulo the workers
};

/// Counts the child and hands it to the queue. Throws std::bad_alloc and resource_error: t is gone then, by `unmake`,
/// and nothing was spawned.
void put_queued(worker* w, queued_task* t, queue_choice where, void (*unmake)(queued_task*) noexcept);

/// Queues a child that has a name.
void spawn_named(task_name* name, any_closure f, queue_choice where);

/// Queues f as a child; never moves or suspends the caller. Throws what copying f throws and std::bad_alloc: nothing was spawned
/// then, and the name is the caller's.
template <class F>
void spawn_queued(worker* w, task_name* name, F&& f, queue_choice where = {}) {
  using Fn = std::decay_t<F>;
  if (name != nullptr) [[unlikely]] {
    spawn_named(name, any_closure::make(std::forward<F>(f)), where);
    return;
  }
  if constexpr (sizeof(Fn) > queued_task::k_inline_bytes || alignof(Fn) > alignof(void*)) {
    boxed<Fn> in_box(std::in_place, std::forward<F>(f));
    spawn_queued(current_worker(), nullptr, std::move(in_box), where);  // copying may have suspended
  } else {
    queued_task* const t = make_queued<Fn>(w, std::forward<F>(f));
    put_queued(current_worker(), t, where, &unmake_queued<Fn>);  // as above
  }
}

/// Queues f as a child in the own deque; never moves or suspends the caller. Throws what copying f throws and std::bad_alloc:
/// nothing was spawned then.
template <class F>
TACTUS_ALWAYS_INLINE void spawn_help_first(worker* w, F&& f) {
  spawn_queued(w, nullptr, std::forward<F>(f));
}

/// spawn_help_first() at a place of the deque that has room, where nothing stands in the way; else false, and nothing has
/// happened.
template <class Fn>
TACTUS_ALWAYS_INLINE bool try_help_first(worker* w, work_deque::place place, const Fn& f) {
  if constexpr (is_plain_closure<Fn> && sizeof(Fn) <= queued_task::k_inline_bytes && alignof(Fn) <= alignof(void*)) {
    if (queued_task* const t = w->tasks.take_ready(); t != nullptr) [[likely]] {
      ::new (static_cast<void*>(t->storage)) Fn(f);
      t->run = &run_queued<Fn>;
      t->finish = by_itself(w->held);
      w->count_spawn();  // before the push: who takes the task counts its end
      w->deque.push_at(place, entry::task(t));
      ++w->counters.spawned_help_first;
      w->idle->notify();
      return true;
    }
  }
  return false;
}

/// Queues f as a task of `under`, which has something outstanding but need not be held by w. For what cannot fail to be
/// queued: without memory for it the process ends.
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

// ---- adaptive ----

/// What `policy` makes of one async.
TACTUS_ALWAYS_INLINE adaptive_choice choose(worker* w, spawn_policy policy) noexcept {
  switch (policy) {
    case spawn_policy::work_first: return adaptive_choice::run_now;
    case spawn_policy::help_first: return adaptive_choice::queue;
    case spawn_policy::work_sharing: return adaptive_choice::share;
    case spawn_policy::adaptive: break;
  }
  if (w->deque.is_short(w->deque.next_place()) ||
      (w->with_care && !w->seeded && w->deque.size_seen_by_owner() < k_short_deque)) {
    return adaptive_choice::queue;
  }
  if (w->policy == spawn_policy::adaptive && w->children_first > 0 && w->stacks.try_fill()) {
    --w->children_first;
    return adaptive_choice::run_now;
  }
  return choose_adaptively(w);
}

/// Spawns f as the policy says. Throws before anything was spawned; the name is the caller's then.
template <class F>
void spawn_by_policy(worker* w, spawn_policy policy, task_name* name, F&& f) {
  const adaptive_choice choice = choose(w, policy);
  if (choice == adaptive_choice::run_now) {
    spawn_work_first(w, name, std::forward<F>(f));
    return;
  }
  if (choice == adaptive_choice::share) {
    spawn_queued(w, name, std::forward<F>(f), {.which = queue_choice::kind::shared});
    return;
  }
  spawn_queued(w, name, std::forward<F>(f));
  if (choice == adaptive_choice::queue_and_step_back) [[unlikely]] {
    step_back();
  }
}

/// A closure of any type for a task that goes into the timeline: whatever it costs, it costs only there.
class traced_closure {
public:
  template <class F>
  static traced_closure make(F&& f) {
    return traced_closure(any_closure::make(std::forward<F>(f)), label_of<std::decay_t<F>>());
  }
  void operator()();

private:
  traced_closure(any_closure function, const char* label) noexcept : function_(std::move(function)), label_(label) {}

  // Names the type in what compilers make of the signature.
  template <class Closure>
  static const char* label_of() noexcept {
    return __PRETTY_FUNCTION__;
  }

  any_closure function_;
  const char* label_;
};

/// Calls what the running task consists of, for the timeline.
void run_traced(const char* label, void (*body)(void*), void* argument);

void spawn_traced(worker* w, spawn_policy policy, task_name* name, traced_closure f);

/// Calls f, a share of a loop that was queued; where there is a timeline it shows the share by this name.
template <class F>
void run_share(const char* name, F&& f) {
  if (current_worker()->timeline == nullptr) [[likely]] {
    f();
    return;
  }
  run_traced(name, [](void* g) { (*static_cast<std::remove_reference_t<F>*>(g))(); }, &f);
}

/// The same where the run may be seeded or traced; the name becomes the child's.
template <class F>
void spawn_with_care(worker* w, spawn_policy policy, task_name* name, F&& f) {
  if (w->seeded) {
    seeded_step(w);
  }
  if (w->timeline != nullptr) [[unlikely]] {
    traced_closure traced = traced_closure::make(std::forward<F>(f));
    spawn_traced(current_worker(), policy, name, std::move(traced));  // copying may have suspended
    return;
  }
  spawn_by_policy(w, policy, name, std::forward<F>(f));
}

/// Queues f where an affinity wants it, whatever the policy; the name becomes the child's.
template <class F>
void spawn_for(std::size_t affinity, worker* w, task_name* name, F&& f) {
  if (w->seeded) {
    seeded_step(w);
    w = current_worker();
  }
  if (w->timeline != nullptr) [[unlikely]] {
    traced_closure traced = traced_closure::make(std::forward<F>(f));
    spawn_queued(current_worker(), name, std::move(traced),
                 {queue_choice::kind::of_worker, affinity});  // copying may have suspended
    return;
  }
  spawn_queued(w, name, std::forward<F>(f), {queue_choice::kind::of_worker, affinity});
}

template <class F>
TACTUS_NOINLINE void spawn_slowly(worker* w, spawn_policy policy, F&& f) {
  spawn_with_care(w, policy, nullptr, std::forward<F>(f));
}

/// Hands f, or a copy where that is as good, to a function of the long way. A closure whose address is asked for anywhere exists in
/// memory everywhere, and copying it as a whole there waits until what stored its parts is done: 6 ns on the short ways.
template <class F, class Then>
TACTUS_ALWAYS_INLINE void by_copy(F&& f, Then&& then) {
  using Fn = std::decay_t<F>;
  if constexpr (is_plain_closure<Fn> && sizeof(Fn) <= k_most_copied) {
    const Fn copy(f);
    then(copy);
  } else {
    then(std::forward<F>(f));
  }
}

/// The rest of a spawn that neither try_ function has done.
template <class F>
TACTUS_ALWAYS_INLINE void spawn_otherwise(worker* w, spawn_policy policy, F&& f) {
  by_copy(std::forward<F>(f), [w, policy]<class G>(G&& g) { spawn_slowly(w, policy, std::forward<G>(g)); });
}

/// Spawns f under the runtime's policy. Whatever is not the common case, of the policy too, shows in the length of the deque.
template <class F>
TACTUS_ALWAYS_INLINE void spawn(worker* w, F&& f) {
  using Fn = std::decay_t<F>;
  const work_deque::place place = w->deque.next_place();
  if (w->deque.is_short(place)) [[likely]] {
    if (try_help_first<Fn>(w, place, f)) [[likely]] {
      return;
    }
  } else if (--w->children_first >= 0 && try_work_first<Fn>(w, f)) {
    return;
  }
  spawn_otherwise(w, w->policy, std::forward<F>(f));
}

/// Spawns f under a policy of its own.
template <class F>
TACTUS_ALWAYS_INLINE void spawn(worker* w, spawn_policy policy, F&& f) {
  using Fn = std::decay_t<F>;
  if (!w->with_care) [[likely]] {
    if (policy == spawn_policy::work_first) {
      if (try_work_first<Fn>(w, f)) [[likely]] {
        return;
      }
    } else if (policy == spawn_policy::help_first) {
      const work_deque::place place = w->deque.next_place();
      if (w->deque.has_room(place) && try_help_first<Fn>(w, place, f)) [[likely]] {
        return;
      }
    }
  }
  spawn_otherwise(w, policy, std::forward<F>(f));
}

}  // namespace tactus::detail
