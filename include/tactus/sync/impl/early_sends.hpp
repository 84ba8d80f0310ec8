// SPDX-License-Identifier: Apache-2.0
// What tasks that only signal sent to an accumulator further ahead than there are buffers. docs/protocols/phaser.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/sync/impl/accumulator_store.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace tactus::detail {

template <class T>
class early_sends {
public:
  /// By the member that sends. std::bad_alloc, and what moving it throws: it is not kept, and a list may be left with
  /// nothing in it.
  void add(std::uint64_t phase, early_send<T> e) {
    const std::lock_guard hold(lock_);
    by_phase_[phase].push_back(std::move(e));
    count_.fetch_add(1, memory_order_release);  // release: pairs with take()
  }

  /// Those of `phase`, the newest first; by whoever completes it.
  [[nodiscard]] std::vector<early_send<T>> take(std::uint64_t phase) {
    if (count_.load(memory_order_acquire) == 0) {  // acquire: pairs with add()
      return {};
    }
    return take_some(phase);
  }

  [[nodiscard]] bool empty() const noexcept {
    return count_.load(memory_order_acquire) == 0;  // acquire: pairs with add()
  }

private:
  std::vector<early_send<T>> take_some(std::uint64_t phase) {
    std::vector<early_send<T>> taken;
    {
      const std::lock_guard hold(lock_);
      const auto at = by_phase_.find(phase);
      if (at == by_phase_.end()) {
        return taken;
      }
      taken = std::move(at->second);
      by_phase_.erase(at);
      count_.fetch_sub(taken.size(), memory_order_relaxed);  // relaxed: under the lock
    }
    for (std::size_t i = 0; i < taken.size() / 2; ++i) {
      std::swap(taken[i], taken[taken.size() - 1 - i]);
    }
    return taken;
  }

  std::mutex lock_;  // protects what follows
  std::map<std::uint64_t, std::vector<early_send<T>>> by_phase_;
  atomic<std::uint64_t> count_{0};
};

}  // namespace tactus::detail
