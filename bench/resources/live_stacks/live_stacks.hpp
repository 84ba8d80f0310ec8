// SPDX-License-Identifier: Apache-2.0
// Problem live_stacks: a recursion with one finish per level whose tasks count how many of them have started and
// not ended. Under work_first each of those holds a stack, and there may be at most workers x serial depth of them.
// The unit is one task; time is beside the point, for all tasks share one counter.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "support/program.hpp"

namespace bench {

class live_stacks_problem {
public:
  static constexpr int k_default_size = 20;

  explicit live_stacks_problem(const options& o)
      : depth(o.size == 0 ? k_default_size : static_cast<int>(o.size)), threads_(o.threads) {
    if (o.size > 30) throw std::invalid_argument("live_stacks: --size is a depth of at most 30");
  }

  void task_starts() {
    // relaxed: only the number matters, no task reads what another wrote
    const std::int64_t now = live_.fetch_add(1, std::memory_order_relaxed) + 1;
    ran_.fetch_add(1, std::memory_order_relaxed);                                               // relaxed: as above
    std::int64_t peak = peak_.load(std::memory_order_relaxed);                                  // relaxed: as above
    while (peak < now && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {  // relaxed: as above
    }
  }

  void task_ends() { live_.fetch_sub(1, std::memory_order_relaxed); }  // relaxed: as above

  void reset() {
    ran_ = 0;
    peak_ = 0;
  }

  void verify() const {
    if (ran_ != operations()) {
      throw wrong_answer(std::to_string(ran_.load()) + " tasks ran, not " + std::to_string(operations()));
    }
    if (live_ != 0) throw wrong_answer(std::to_string(live_.load()) + " tasks had not ended when the finish did");
  }

  [[nodiscard]] std::uint64_t operations() const { return (std::uint64_t{1} << (depth + 1)) - 1; }

  void report(nlohmann::json& line) const {
    line["size"] = depth;
    line["peak_live"] = peak_.load();
    line["allowed_live"] = static_cast<std::int64_t>(threads_) * (depth + 1);
  }

  const int depth;

private:
  int threads_;
  std::atomic<std::int64_t> live_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::uint64_t> ran_{0};
};

}  // namespace bench
