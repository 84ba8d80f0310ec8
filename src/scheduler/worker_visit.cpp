// SPDX-License-Identifier: Apache-2.0

#include "scheduler/worker_visit.hpp"

#include <tactus/scheduler/impl/suspend.hpp>

#include "scheduler/scheduler.hpp"

namespace tactus::detail {
namespace {

// Both in a signal handler, also while the worker is restricted.
const char* running_task_name() noexcept {
  const worker* const w = any_worker();
  return w != nullptr && w->task != nullptr ? w->task->name() : nullptr;
}

std::size_t running_stack_bytes() noexcept {
  const worker* const w = any_worker();
  return w != nullptr ? w->owner->options().stack_bytes : 0;
}

constexpr overflow_answers k_overflow_answers{running_task_name, running_stack_bytes};

}  // namespace

pinned::pinned(const std::vector<std::vector<int>>& to, int seat) noexcept {
  if (!to.empty() && ::sched_getaffinity(0, sizeof before_, &before_) == 0) {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    for (const int processor : to[static_cast<std::size_t>(seat) % to.size()]) {
      CPU_SET(static_cast<std::size_t>(processor), &mine);
    }
    pinned_ = ::sched_setaffinity(0, sizeof mine, &mine) == 0;
  }
}

pinned::~pinned() {
  if (pinned_) {
    ::sched_setaffinity(0, sizeof before_, &before_);
  }
}

worker_visit::worker_visit(worker* w) : here_(w->owner->bound_to(), w->seat), reporting_(k_overflow_answers) {
  // Looks at all thread-local memory that the handler will: of a shared library it may have to be allocated.
  static_cast<void>(any_worker());
  set_this_worker(w);
  w->exceptions = this_thread_exception_state();
  w->running = sanitizer_this_thread();
}

worker_visit::~worker_visit() { set_this_worker(nullptr); }

}  // namespace tactus::detail
