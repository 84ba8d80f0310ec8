// SPDX-License-Identifier: Apache-2.0
// A queue that every worker puts into and takes from: first in, first out, a lock. There is one for all workers, of the policy
// work_sharing, and one for each, of tasks that have an affinity for it.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/scheduler/impl/queued_task.hpp>

#include <deque>
#include <mutex>

namespace tactus::detail {

class shared_queue {
public:
  /// std::bad_alloc: t is still the caller's.
  void push(queued_task* t) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(t);
    size_.store(tasks_.size(), memory_order_release);  // release: pairs with looks_empty(); under mutex_
  }

  /// The oldest; null if there is none.
  queued_task* take() noexcept {
    if (looks_empty()) {
      return nullptr;
    }
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) {
      return nullptr;
    }
    queued_task* const t = tasks_.front();
    tasks_.pop_front();
    size_.store(tasks_.size(), memory_order_release);  // as in push()
    return t;
  }

  [[nodiscard]] bool looks_empty() const noexcept {
    return size_.load(memory_order_acquire) == 0;  // acquire: orders what the caller reads next after it
  }

private:
  friend struct debugger_layout;

  alignas(k_cache_line) atomic<std::size_t> size_{0};  // written under mutex_
  std::mutex mutex_;                                   // protects the tasks
  std::deque<queued_task*> tasks_;
};

}  // namespace tactus::detail
