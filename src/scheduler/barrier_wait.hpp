// SPDX-License-Identifier: Apache-2.0
// The short ways to wait at a barrier: straight to the next continuation that it has released, or to its next member in the queue.
// docs/protocols/clock.md.
#pragma once

#include <tactus/fiber/impl/context.hpp>
#include <tactus/scheduler/impl/barrier.hpp>

#include "scheduler/scheduler.hpp"

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

// Switches to a released continuation of a finish that `w` holds; `here`, the caller's, is on a list of waiters already.
// Not instrumented: it begins on one thread and may end on another.
TACTUS_NO_SANITIZE inline void switch_to_released(worker* w, continuation& here, continuation* next) noexcept {
  w->task = next->task;
  sanitizer_switch(leaving::for_now, here.sanitizer, w->running, next->sanitizer);
  tactus_switch(&here.context, next->context);
}

// Asks for the lines that a continuation touches on its way on: from its saved registers to the frame of its task.
TACTUS_ALWAYS_INLINE void prefetch_continuation(const continuation* s) noexcept {
  const auto* const at = reinterpret_cast<const std::byte*>(s);
  for (int line = -1; line < 5; ++line) {
    __builtin_prefetch(at + line * static_cast<std::ptrdiff_t>(k_cache_line), 1);
  }
}

// The next continuation of the block that this worker goes through; there is one.
TACTUS_ALWAYS_INLINE continuation* take_next_of_block(deferred_arrivals& k) noexcept {
  continuation* const next = *k.run_next++;
  // Beyond the block's end, too, where the worker's next block begins as a rule. Who may write there waits for `next` (C9).
  const continuation* const hint = k.run_next[k.run_ahead];
  prefetch_continuation(hint != nullptr ? hint : next);
  return next;
}

TACTUS_ALWAYS_INLINE void barrier::append(worker* w, continuation& here) noexcept {
  deferred_arrivals& k = w->deferred;
  sanitizer_publish(&here);                   // to reports
  *k.wait_next = &here;                       // nobody takes it off before this worker hands in the arrival (C1)
  atomic_signal_fence(memory_order_release);  // a report that sees the length finds the waiter (H1)
  ++k.wait_next;
  k.sum += barrier_word::k_arrival;
}

// In the first phase, as a rule, the task queued last is a member, too: it starts on an empty stack, and nothing is handed in.
// Only where no continuation of a block is left to go on with.
TACTUS_ALWAYS_INLINE queued_task* barrier::next_queued_member(worker* w) noexcept {
  if (!w->deque.newest().is_member() || !w->stacks.ready() || w->deque.looks_empty() || !w->released.looks_empty() ||
      w->with_care || w->owner->deadlocked()) {
    return nullptr;
  }
  const entry e = w->deque.pop();
  if (e && !w->follows_arrivals(e)) [[unlikely]] {
    w->deque.push(e);
    return nullptr;
  }
  return static_cast<queued_task*>(e.pointer());
}

// What start_member() has to know; on the stack that is left.
struct member_start {
  continuation* left;
  queued_task* member;
  stack_top stack;
};

// Runs a queued member on an empty stack; a call_entry for tactus_call(). The argument is a member_start.
void* start_member(void* argument, void* saved);

// Leaves the caller, which is on a list that nobody takes from before this worker hands in its arrivals, and runs the queued task
// `member` on an empty stack from the cache. Not instrumented, as above.
TACTUS_NO_SANITIZE TACTUS_ALWAYS_INLINE void leave_and_start(worker* w, continuation& here, queued_task* member) {
  member_start start{&here, member, w->stacks.take()};
  sanitizer_switch(leaving::for_now, here.sanitizer, w->running, w->stacks.context(start.stack));
  tactus_call(&start, start_member, start.stack);
}

// Whether `w` is about to go on with a continuation that this barrier has released, and nothing needs to be looked after before.
TACTUS_ALWAYS_INLINE bool barrier::next_is_at_hand(const worker* w) const noexcept {
  const deferred_arrivals& k = w->deferred;
  return k.of == this && k.run_of == this && k.run_next != k.run_end && k.wait_next != k.wait_end &&
         w->task->below == nullptr && w->exceptions->empty() && (*k.run_next)->finish == w->held &&
         w->floats.is_of_thread();
}

// Puts the caller on its worker's list and goes on with the next continuation; false if the program is stuck, and then
// here.in_vain_since is the phase in which the caller has arrived. Only where next_is_at_hand().
TACTUS_ALWAYS_INLINE bool barrier::wait_while_next_goes_on(worker* w, continuation& here) {
  prepare(w, here);
  switch_to_released(w, here, take_next_of_block(w->deferred));
  return !here.is_in_vain();
}

// The same while a queued member starts.
TACTUS_ALWAYS_INLINE bool barrier::wait_while_member_starts(worker* w, continuation& here, queued_task* member) {
  prepare(w, here);
  leave_and_start(w, here, member);
  return !here.is_in_vain();
}

TACTUS_ALWAYS_INLINE void barrier::prepare(worker* w, continuation& here) noexcept {
  here.finish = by_itself(w->held);
  here.task = by_itself(w->task);
  here.in_vain_since = continuation::k_not_in_vain;
  append(w, here);
  ++w->counters.suspensions;
  ++w->counters.resumptions;
}

// The member that this worker may start while the caller waits, taken from the queue; null if there is none, or if something else
// has to come first.
TACTUS_ALWAYS_INLINE queued_task* barrier::take_member_to_start(worker* w) noexcept {
  const deferred_arrivals& k = w->deferred;
  if (k.of != this || k.wait_next == k.wait_end || k.run_next != k.run_end || w->task->below != nullptr ||
      !w->exceptions->empty() || !w->floats.is_of_thread()) {
    return nullptr;
  }
  return next_queued_member(w);
}

}  // namespace tactus::detail
