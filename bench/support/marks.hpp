// SPDX-License-Identifier: Apache-2.0
// One byte per task: each task counts in its own, the checker finds those left out and those that ran twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace bench {

/// The problem "every one of n tasks runs once": base of flat, tree and census.
class marks {
public:
  explicit marks(std::uint64_t n) : bytes_(n) {}

  /// What a task does.
  void set(std::uint64_t i) { ++bytes_[i]; }

  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  void reset() { std::fill(bytes_.begin(), bytes_.end(), std::uint8_t{0}); }

  void verify() const {
    const auto missing = std::count(bytes_.begin(), bytes_.end(), std::uint8_t{0});
    if (missing != 0)
      throw wrong_answer(std::to_string(missing) + " of " + std::to_string(size()) + " tasks did not run");
    const auto once = std::count(bytes_.begin(), bytes_.end(), std::uint8_t{1});
    if (static_cast<std::uint64_t>(once) != size())
      throw wrong_answer(std::to_string(size() - static_cast<std::uint64_t>(once)) + " of " + std::to_string(size()) +
                         " tasks ran more than once");
  }

private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace bench
