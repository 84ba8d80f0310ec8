// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/impl/work_first.hpp>

#include "scheduler/scheduler.hpp"

namespace tactus::detail {

TACTUS_NO_SANITIZE void* leave_child_slowly(continuation* parent, const void* child, stack_top stack,
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
