// SPDX-License-Identifier: Apache-2.0
// Which long ranges are to be received, as tasks say and who talks to MPI asks. docs/protocols/ranges.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include "place/ranges.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace tactus::detail {

class wanted_ranges {
public:
  struct all {
    range_wait* first = nullptr;  // through `behind`
    std::vector<unwanted_ranges> unwanted{};
  };

  /// For a task that waits.
  void add(range_wait& wait) noexcept {
    const std::lock_guard lock(mutex_);
    wait.behind = std::exchange(all_.first, &wait);
    there_are_.store(true, memory_order_seq_cst);  // before a look at who talks: one of the two sees the other
  }

  /// For nobody. std::bad_alloc.
  void add(unwanted_ranges what) {
    const std::lock_guard lock(mutex_);
    all_.unwanted.push_back(std::move(what));
    there_are_.store(true, memory_order_seq_cst);  // as above
  }

  [[nodiscard]] bool there_are() const noexcept { return there_are_.load(memory_order_seq_cst); }

  [[nodiscard]] all take_all() noexcept {
    const std::lock_guard lock(mutex_);
    there_are_.store(false, memory_order_seq_cst);
    return std::exchange(all_, {});
  }

private:
  std::mutex mutex_;  // protects the next one
  all all_;
  atomic<bool> there_are_{false};
};

}  // namespace tactus::detail
