// SPDX-License-Identifier: Apache-2.0
// The phases of a pass in which tasks are in step: how many there are, and what those took that count.
#pragma once

#include <algorithm>
#include <cstdint>

#include "support/stopwatch.hpp"

namespace bench {

/// Two phases are run first and not timed, so that creation and the first misses of caches do not count.
class timed_phases {
public:
  /// given: phases to time; 0: as many as expect_ns() finds to take about 20 ms.
  explicit timed_phases(std::uint64_t given) : timed_(given == 0 ? k_least : given), is_given_(given != 0) {}

  /// A fixed number of both.
  timed_phases(std::uint64_t untimed, std::uint64_t timed) : untimed_(untimed), timed_(timed), is_given_(true) {}

  [[nodiscard]] std::uint64_t untimed() const { return untimed_; }
  [[nodiscard]] std::uint64_t timed() const { return timed_; }
  [[nodiscard]] std::uint64_t all() const { return untimed_ + timed_; }

  /// About what one phase takes.
  void expect_ns(double phase) {
    if (!is_given_) timed_ = std::clamp(static_cast<std::uint64_t>(k_pass_ns / phase), k_least, k_most);
  }

  /// By one task, thread or loop that the others are in step with: before each phase, and with all() after the last.
  void reaches(std::uint64_t phase) {
    if (phase == untimed_) {
      watch_ = stopwatch();
    } else if (phase == all()) {
      took_ = watch_.elapsed();
    }
  }

  void reset() { took_ = {}; }

  /// Of the phases that count. None if nobody told what it reaches.
  [[nodiscard]] duration took() const { return took_; }

private:
  static constexpr double k_pass_ns = 20e6;
  static constexpr std::uint64_t k_least = 4;
  static constexpr std::uint64_t k_most = 1'000'000;

  std::uint64_t untimed_ = 2;
  std::uint64_t timed_;
  bool is_given_;
  stopwatch watch_;
  duration took_;
};

}  // namespace bench
