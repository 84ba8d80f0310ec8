// SPDX-License-Identifier: Apache-2.0
// A number by which texts tell one object from another of its kind.
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include <cstdint>
#include <string>

namespace tactus::detail {

/// Given at the first question, so that what no text names costs nothing: from 1, per kind and process.
class report_number {
public:
  constexpr report_number() noexcept = default;

  /// `last` is the kind's. Any thread.
  [[nodiscard]] std::string of(atomic<std::uint32_t>& last) const {
    std::uint32_t mine = number_.load(memory_order_relaxed);  // relaxed, all: nothing goes with a number
    if (mine == 0) {
      const std::uint32_t fresh = last.fetch_add(1, memory_order_relaxed) + 1;
      if (number_.compare_exchange_strong(mine, fresh, memory_order_relaxed, memory_order_relaxed)) {
        mine = fresh;  // else somebody was first, and one number stays unused
      }
    }
    return std::to_string(mine);
  }

private:
  mutable atomic<std::uint32_t> number_{0};
};

}  // namespace tactus::detail
