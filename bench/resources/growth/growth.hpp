// SPDX-License-Identifier: Apache-2.0
// Problem growth: n empty tasks in five shapes; what counts is the peak of resident memory above the start,
// which must not depend on n. Every shape is one finish; tasks escape into it.
//   flat       a loop spawns all
//   chain      each task spawns the next one and ends
//   binary     a full binary tree
//   recursion  each task divides the tasks left to it at random among up to three children
//   trees      a loop spawns escaping trees of 1,023 tasks
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "support/program.hpp"

namespace bench {

class growth_problem {
public:
  static constexpr std::uint64_t k_default_size = 10'000'000;
  static constexpr std::uint64_t k_tree_size = 1023;

  explicit growth_problem(const options& o) : size_(o.size == 0 ? k_default_size : o.size), shape_(o.shape) {}

  /// What a task does. `slot` is any number that tasks running at the same time seldom share.
  void count(std::size_t slot) {
    counters_[slot % k_slots].value.fetch_add(1, std::memory_order_relaxed);  // relaxed: summed after the join
  }

  void reset() {
    for (counter& c : counters_) c.value.store(0, std::memory_order_relaxed);  // relaxed: nobody else runs
  }

  void verify() const {
    std::uint64_t sum = 0;
    for (const counter& c : counters_) sum += c.value.load(std::memory_order_relaxed);  // relaxed: joined
    if (sum != size_) throw wrong_answer(std::to_string(sum) + " tasks ran, not " + std::to_string(size_));
  }

  [[nodiscard]] std::uint64_t operations() const { return size_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& shape() const { return shape_; }

  void report(nlohmann::json& line) const {
    line["size"] = size_;
    line["shape"] = shape_;
  }

  /// Divides `tasks` among at most three children by a hash of `seed`; zeros are no children.
  static std::array<std::uint64_t, 3> divide(std::uint64_t tasks, std::uint64_t seed) {
    const std::uint64_t h = mix(seed);
    std::array<std::uint64_t, 3> part{};
    part[0] = portion(tasks, h & 0xFFFF);
    part[1] = portion(tasks - part[0], (h >> 16) & 0xFFFF);
    part[2] = tasks - part[0] - part[1];
    return part;
  }

  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

private:
  static constexpr std::size_t k_slots = 64;
  struct alignas(64) counter {
    std::atomic<std::uint64_t> value{0};
  };

  static std::uint64_t portion(std::uint64_t tasks, std::uint64_t of_65536) { return tasks * of_65536 / 65536; }

  std::uint64_t size_;
  std::string shape_;
  std::array<counter, k_slots> counters_;
};

}  // namespace bench
