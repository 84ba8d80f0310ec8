// SPDX-License-Identifier: Apache-2.0
// Problem census: n tasks start, all wait for one event, then are released and end. The unit is one task:
// created, blocked, resumed. The program also tells how much memory a suspended task holds.
#pragma once

#include <atomic>

#include "support/marks.hpp"
#include "support/resident.hpp"

namespace bench {

class census_problem : public marks {
public:
  static constexpr std::uint64_t k_default_size = 100'000;

  explicit census_problem(const options& o) : marks(o.size == 0 ? k_default_size : o.size) {}

  void reset() {
    marks::reset();
    started_.store(0, std::memory_order_relaxed);  // relaxed: nobody else runs
  }

  /// First act of every task.
  void starts() { started_.fetch_add(1, std::memory_order_relaxed); }  // relaxed: only the count matters

  [[nodiscard]] bool all_started() const {
    return started_.load(std::memory_order_relaxed) == size();  // relaxed: only the count matters
  }

  /// Called by the competitor's pass before it creates the first task.
  void nothing_created() { resident_before_ = resident_bytes(); }

  /// Called when all tasks have started and, but for those on their last steps into the wait, are suspended.
  void all_suspended() { resident_suspended_ = resident_bytes(); }

  [[nodiscard]] std::uint64_t operations() const { return size(); }

  void report(nlohmann::json& line) const {
    line["size"] = size();
    // Later repetitions reuse the stacks of the first one: only its figure is the cost of a suspended task.
    if (line["rep"] == 1 && line["passes"] == 1) {
      line["bytes_per_suspended"] = (static_cast<double>(resident_suspended_) - static_cast<double>(resident_before_)) /
                                    static_cast<double>(size());
    }
  }

private:
  std::atomic<std::uint64_t> started_{0};
  std::uint64_t resident_before_ = 0;
  std::uint64_t resident_suspended_ = 0;
};

}  // namespace bench
