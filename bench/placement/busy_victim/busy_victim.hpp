// SPDX-License-Identifier: Apache-2.0
// Problem busy_victim: what a place gets that has nothing to do, from one whose only worker computes for 10 ms and calls nothing of the library. The
// unit is one such round. The busy place has spawned some hundred tasks of 10 us before, which may move; look at `steals`, the least of all rounds:
// how many tasks it has given away while it computed; and at `served_us`, which nine of ten rounds keep: the longest that the other place was
// without a task meanwhile, from when it had none to the begin of the next one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace bench {

/// What came of one round.
struct busy_round {
  std::uint64_t steals;       ///< tasks that were given away while their place computed
  std::uint64_t ran;          ///< at either place
  std::int64_t longest_wait;  ///< nanoseconds
};

class busy_victim_problem {
public:
  static constexpr std::uint64_t k_tasks = 400;
  static constexpr double k_task_ns = 10'000;
  static constexpr std::int64_t k_computes_ns = 10'000'000;

  explicit busy_victim_problem(const options& o) : rounds_(o.size == 0 ? 50 : o.size) {}

  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  void done(const busy_round& round) { done_.push_back(round); }

  void reset() { done_.clear(); }
  void verify() const {
    if (done_.size() != rounds_) throw wrong_answer("busy_victim: a round is missing");
    for (const busy_round& r : done_) {
      if (r.ran != k_tasks) {
        throw wrong_answer("busy_victim: " + std::to_string(r.ran) + " of " + std::to_string(k_tasks) + " tasks ran");
      }
    }
  }
  [[nodiscard]] std::uint64_t operations() const { return rounds_; }
  void report(nlohmann::json& line) const {
    std::vector<std::uint64_t> steals;
    std::vector<std::int64_t> waits;
    for (const busy_round& r : done_) {
      steals.push_back(r.steals);
      waits.push_back(r.longest_wait);
    }
    std::ranges::sort(waits);
    line["steals"] = *std::ranges::min_element(steals);
    line["served_us"] = static_cast<double>(waits[(9 * waits.size() - 1) / 10]) / 1e3;
    line["served_us_worst"] = static_cast<double>(waits.back()) / 1e3;
  }

private:
  std::uint64_t rounds_;
  std::vector<busy_round> done_;
};

}  // namespace bench
