// SPDX-License-Identifier: Apache-2.0
// Wall and processor time since a moment.
#pragma once

#include <chrono>

#include "support/resident.hpp"

namespace bench {

/// How long something took: by the clock on the wall, and of processor time of all threads of this process.
struct duration {
  double seconds = 0;
  double processor_seconds = 0;
};

/// Runs from its construction on. The wall clock is read nearest to what is measured.
class stopwatch {
public:
  [[nodiscard]] duration elapsed() const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
    return {wall.count(), processor_seconds() - processor_at_start_};
  }

private:
  double processor_at_start_ = processor_seconds();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace bench
