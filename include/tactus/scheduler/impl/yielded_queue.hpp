// SPDX-License-Identifier: Apache-2.0
// Strands that are ready but go behind everything else ready on their worker: first in, first out, open to thieves.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/scheduler/impl/continuation.hpp>

#include <mutex>

namespace tactus::detail {

class yielded_queue {
public:
  void push(continuation* s) noexcept {
    const std::lock_guard lock(mutex_);
    s->next = nullptr;
    (last_ != nullptr ? last_->next : first_) = s;
    last_ = s;
    size_.store(size_.load(memory_order_relaxed) + 1,
                memory_order_release);  // release: pairs with looks_empty(); under mutex_
  }

  continuation* pop() noexcept {
    if (looks_empty()) {
      return nullptr;
    }
    const std::lock_guard lock(mutex_);
    continuation* const s = first_;
    if (s != nullptr) {
      first_ = s->next;
      if (first_ == nullptr) {
        last_ = nullptr;
      }
      size_.store(size_.load(memory_order_relaxed) - 1, memory_order_release);  // as in push()
    }
    return s;
  }

  [[nodiscard]] bool looks_empty() const noexcept {
    return size_.load(memory_order_acquire) == 0;  // acquire: orders what the caller reads next after it
  }

private:
  friend struct debugger_layout;

  alignas(k_cache_line) atomic<std::uint32_t> size_{0};  // written under mutex_
  std::mutex mutex_;                                     // protects the list
  continuation* first_ = nullptr;
  continuation* last_ = nullptr;
};

}  // namespace tactus::detail
