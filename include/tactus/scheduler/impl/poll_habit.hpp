// SPDX-License-Identifier: Apache-2.0
// Whether a look for a moment, before a task waits, has paid lately: each in vain doubles how many are skipped.
#pragma once

#include <tactus/base/impl/lesser.hpp>

#include <cstdint>

namespace tactus::detail {

class poll_habit {
public:
  /// Whether to do without this time; counted.
  [[nodiscard]] bool skips() noexcept {
    if (to_skip_ == 0) {
      return false;
    }
    --to_skip_;
    return true;
  }

  void paid() noexcept { lost_ = 0; }

  void was_in_vain() noexcept {
    lost_ = lesser(lost_ + 1, k_most_lost);
    to_skip_ = (1U << lost_) - 1;
  }

  void forget() noexcept {
    lost_ = 0;
    to_skip_ = 0;
  }

private:
  static constexpr std::uint32_t k_most_lost = 6;

  std::uint32_t lost_ = 0;  // in a row
  std::uint32_t to_skip_ = 0;
};

}  // namespace tactus::detail
