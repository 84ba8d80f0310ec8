// SPDX-License-Identifier: Apache-2.0
// Switching: the loop at the bottom of every stack, and how a task stops and goes on. docs/protocols/suspension.md.

#include <tactus/scheduler/impl/exceptions_aside.hpp>

#include "base/probe.hpp"
#include "scheduler/report_gate.hpp"
#include "scheduler/scheduler.hpp"

#include <tactus/base/error.hpp>
#include <tactus/fiber/impl/context.hpp>

#include "scheduler/barrier_wait.hpp"
#include "scheduler/remote_side.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/seeded.hpp"

#include <thread>

namespace tactus::detail {
namespace {

// Where a worker goes when the task on it stops: to a continuation, or to the loop on an empty stack.
struct destination {
  entry next;
  stack_top stack;  // null: next is a continuation and has its own
};

// Throws resource_error before anything has happened, unless it insists.
destination choose_destination(worker* w, stack_pool::at_limit mode) {
  seeded_stir(w);
  destination to{w->deque.pop(), nullptr};
  if (!to.next.is_continuation()) {
    try {
      to.stack = w->stacks.take(mode);
    } catch (...) {
      if (to.next) {
        w->deque.push(to.next);
      }
      throw;
    }
  }
  return to;
}

// Runs on a stack that the parked task does not use: only now may others find it.
void publish(wait_point* point) {
  if (!point->commit(*point)) {
    make_ready(current_worker(), *point);
  }
}

struct passing {
  wait_point* left;
  destination to;
};

// Runs on the stack of the continuation that goes on, before it does.
TACTUS_NO_SANITIZE void park_and_go_on(void* argument, void* saved) {
  const passing p = *static_cast<passing*>(argument);
  p.left->context = saved;
  publish(p.left);
  worker* const w = current_worker();
  w->hand_in_arrivals();
  w->hold(static_cast<continuation*>(p.to.next.pointer())->finish);
}

TACTUS_NO_SANITIZE void* park_and_loop(void* argument, void* saved) {
  const passing p = *static_cast<passing*>(argument);
  p.left->context = saved;
  publish(p.left);
  scheduler_loop(current_worker(), p.to.stack, p.to.next);
}

// Not instrumented: it begins on one thread and may end on another.
TACTUS_NO_SANITIZE void depart(worker* w, wait_point& point, destination to) noexcept {
  passing p{&point, to};
  if (to.stack == nullptr) {
    auto* const s = static_cast<continuation*>(to.next.pointer());
    w->task = s->task;
    sanitizer_switch(leaving::for_now, point.sanitizer, w->running, s->sanitizer);
    tactus_enter(&p, park_and_go_on, s->context);
  } else {
    w->task = nullptr;  // which another worker may end before this one has another; a report looks at any time
    sanitizer_switch(leaving::for_now, point.sanitizer, w->running, w->stacks.context(to.stack));
    tactus_call(&p, park_and_loop, to.stack);
  }
}

// The loop's stack is free from here on: nobody but this worker takes from its cache, and it does so only after it has left.
[[noreturn]] TACTUS_NO_SANITIZE void leave_for(worker* w, stack_top own, continuation* target) {
  context_sanitizer gone;
  w->stacks.put(own);
  sanitizer_switch(leaving::for_ever, gone, w->running, target->sanitizer);
  tactus_leave(target->context);
  __builtin_unreachable();
}

[[noreturn]] TACTUS_NO_SANITIZE void go_on_with(worker* w, stack_top own, continuation* s) {
  w->hold(s->finish);
  w->task = s->task;
  leave_for(w, own, s);
}

TACTUS_ALWAYS_INLINE void run_at_bottom(worker* w, queued_task* t) {
  w->hold(t->finish);
  w->task = nullptr;  // nothing lies below it on this stack
  ++w->counters.tasks_run;
  t->run(t, w);
}

TACTUS_NOINLINE void run_from_loop(worker* w, queued_task* t) { run_at_bottom(w, t); }

// Runs the newest entries while they are tasks and nothing comes before them: next_work() and hand_in_before() without what they ask for
// other entries. Returns what it took without running it.
TACTUS_NO_SANITIZE TACTUS_ALWAYS_INLINE entry run_own_tasks(worker*& w) {
  for (;;) {
    const entry newest = w->deque.newest();
    if (w->with_care || w->deque.is_empty() || !newest.is_plain_task() || w->deferred.sum != 0 || w->has_released()) {
      return {};
    }
    if (w->is_time_to_look_outside()) [[unlikely]] {
      w->owner->look_between_tasks(w);
      continue;
    }
    const work_deque::claim claim = w->deque.begin_pop();
    if (!claim.won()) [[unlikely]] {
      return w->deque.finish_pop(claim);
    }
    run_at_bottom(w, static_cast<queued_task*>(newest.task_pointer()));
    w = current_worker();  // the task may have stopped and gone on elsewhere, with this loop below it
  }
}

bool publish_yielded(wait_point& point) {
  worker* const w = current_worker();
  idle_set* const idle = w->idle;
  w->yielded.push(&point);
  idle->notify();
  return true;
}

void park(worker* w, wait_point& point, stack_pool::at_limit mode) {
  seeded_point(w);
  w->hand_in_arrivals();
  hand_over_loop_rests(w);
  if (w->open.is_open()) [[unlikely]] {
    publish_open(w);
  }
  park_here(w, point, mode);
}

// Shows reports what the task on this stack waits for, until hide_wait().
void show_wait(fiber_stack& here, const worker* w, wait_point& point) noexcept {
  point.task = w->task;
  here.parked.store(&point, memory_order_release);  // release: what the point says; pairs with add_waiting_at()
}

void hide_wait(fiber_stack& here) noexcept {
  here.parked.store(nullptr,
                    memory_order_relaxed);  // relaxed: before the gate, which is ordered by a report's fence (H1)
  report_gate::pass();
}

TACTUS_ALWAYS_INLINE void push_ready(worker* w, continuation* s) noexcept {
  idle_set* const idle = w->idle;
  w->deque.push(entry::continuation(s));  // s may be gone from here on
  idle->notify();
}

// make_ready() across places and runs, on threads that are no workers, and for the timeline.
TACTUS_NOINLINE void make_ready_with_care(worker* w, wait_point& point) noexcept {
  if (w == nullptr || &w->owner->run() != &point.home->run()) {
    const foreign_visit home_stays;  // a run may end, and its runtime go, as soon as its last task goes on
    point.home->send(&point);
    return;
  }
  if (w->timeline != nullptr) {
    trace_wake(w, point);
  }
  point.home->go_on(w, &point);
}

[[noreturn]] void throw_deadlock(const wait_point& point) {
  std::string text = "tactus: deadlock: the wait for ";
  point.kind->describe(point, text);
  throw deadlock_error(text + " can never end");
}

}  // namespace

void hand_over_loop_rests(worker* w) {
  for (task_frame* f = w->task; f != nullptr; f = f->below) {
    if (f->is_element != 0) [[unlikely]] {
      loop_rest* const rest = static_cast<element_frame*>(f)->rest;
      rest->hand_over(*rest, w);  // parked with this stack, it might be what we wait for
    }
  }
}

TACTUS_NO_SANITIZE void* start_member(void* argument, void* saved) {
  const member_start start =
      *static_cast<member_start*>(argument);  // others may go on with what is left before it ends
  start.left->context = saved;
  current_worker()->stacks.prefetch_after_next();
  run_at_bottom(current_worker(), start.member);
  scheduler_loop(current_worker(), start.stack, {});
}

TACTUS_NO_SANITIZE void leave_for_next_of_block([[maybe_unused]] worker* w, [[maybe_unused]] const void* on_stack) {
#if !TACTUS_TSAN && !TACTUS_ASAN  // which want to see every frame of ours end
  deferred_arrivals& k = w->deferred;
  if (k.run_next != k.run_end && k.run_of == k.of && !w->seeded) {
    continuation* const next = take_next_of_block(k);
    w->hold(next->finish);
    w->task = next->task;
    context_sanitizer gone;
    w->stacks.put(w->stacks.top_above(on_stack));  // nobody but this worker takes it, and only after it has left
    sanitizer_switch(leaving::for_ever, gone, w->running, next->sanitizer);
    tactus_leave(next->context);
  }
#endif
}

void park_here(worker* w, wait_point& point, stack_pool::at_limit mode) {
  const destination to = choose_destination(w, mode);
  ++w->counters.suspensions;
  point.home = w->owner;
  if (w->timeline != nullptr) [[unlikely]] {
    trace_stop(w, point);
  }
  {
    const exceptions_aside aside(w);
    {
      const own_floats_aside floats(w->floats);
      depart(w, point, to);
    }
    w = current_worker();  // known to the end of `aside`, too
    ++w->counters.resumptions;
  }
  if (w->timeline != nullptr) [[unlikely]] {
    trace_go_on(w);
  }
}

TACTUS_NO_SANITIZE void scheduler_loop(worker* w, stack_top own, entry e) {
  w->task = nullptr;  // a child that ran here first has ended, and this loop is where it was
  for (;;) {
    if (!e) {
      e = run_own_tasks(w);
    }
    if (!e) {
      e = w->owner->next_work(w);
      if (!e) {
        leave_for(w, own, &w->native);
      }
    }
    w->hand_in_before(e);
    if (e.is_continuation()) {
      go_on_with(w, own, static_cast<continuation*>(e.pointer()));
    }
    run_from_loop(w, static_cast<queued_task*>(e.pointer()));
    w = current_worker();  // the task may have stopped and gone on elsewhere, with this loop below it
    e = {};
  }
}

void suspend(wait_point& point) {
  worker* const w = current_worker();
  if (w->owner->deadlocked()) {
    throw_deadlock(point);
  }
  fiber_stack* const here =
      w->owner->stack_of(__builtin_frame_address(0));  // not &point: AddressSanitizer may keep that elsewhere
  point.finish = w->held;
  show_wait(*here, w, point);
  try {
    park(w, point, stack_pool::at_limit::refuse);
  } catch (...) {
    hide_wait(*here);
    throw;
  }
  hide_wait(*here);
  if (point.deadlocked) {
    throw_deadlock(point);
  }
}

void suspend_for_finish(wait_point& point) noexcept {
  worker* const w = current_worker();
  fiber_stack* const here = w->owner->stack_of(__builtin_frame_address(0));
  show_wait(*here, w, point);  // who waits at a finish has not arrived elsewhere
  park(w, point, stack_pool::at_limit::insist);
  hide_wait(*here);
}

void scheduler::go_on(worker* w, continuation* s) noexcept {
  if (w->owner == this) [[likely]] {
    push_ready(w, s);
  } else {
    send(s);
  }
}

void make_ready(worker* w, wait_point& point) noexcept {
  if (w != nullptr && w->wakes_plainly == point.home) [[likely]] {
    push_ready(w, &point);
  } else {
    make_ready_with_care(w, point);
  }
}

void make_ready(wait_point& point) noexcept { make_ready(any_worker(), point); }

void make_ready_anywhere(wait_point& point) noexcept {
  worker* const w = any_worker();
  if (w != nullptr && w->owner != point.home && &w->owner->run() == &point.home->run()) [[unlikely]] {
    w->owner->remote()->wake_elsewhere(point);
  } else {
    make_ready(w, point);
  }
}

void go_behind_ready_work(stack_pool::at_limit mode) {
  worker* const w = current_worker();
  wait_point point;
  point.commit = publish_yielded;
  point.finish = w->held;
  point.task = w->task;
  park(w, point, mode);
}

void let_ready_work_go_first(worker* w) noexcept {
  if (w->owner->has_work<source::besides_members>(w) || w->owner->poll_outside(w)) {
    try {
      go_behind_ready_work(stack_pool::at_limit::exceed);
      // NOLINTNEXTLINE(bugprone-empty-catch): then it gets its turn when there is a stack again
    } catch (const std::exception&) {
    }
  }
}

void yield_now(stack_pool::at_limit mode) {
  constexpr std::uint32_t k_yields_per_look = 32;
  worker* const w = current_worker();
  seeded_point(w);
  if (++w->yields % k_yields_per_look == 0) {
    w->owner->bring_from_others(
        w);  // a task that yields until another one has run would keep this worker from stealing that
  }
  // What is behind the task in its share or batch is ready as well, and may be what it yields for.
  hand_over_loop_rests(w);
  if (!w->owner->has_work<source::before_yielding>(w) && w->deferred.sum == 0 && !w->owner->poll_outside(w)) {
    if (!w->seeded) {
      std::this_thread::yield();  // nothing to let go first here; perhaps another worker waits for this processor
    }
    return;
  }
  go_behind_ready_work(mode);
}

}  // namespace tactus::detail
