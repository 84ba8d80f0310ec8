// SPDX-License-Identifier: Apache-2.0
// Problem quicksort: figure 1 of hybrid-placement.txt. Whole numbers from 0 to 9998 are divided by the value in the middle, again and again;
// the part on the left becomes a task with a copy of its numbers, the one on the right the spawner divides on. The unit is one number.
//
// --shape: random (the paper's), sorted, reversed or equal. --size: 1000, the paper's. --grain: parts of more numbers are tasks that may move;
// down to an eighth of that, tasks that stay; what is smaller is sorted by who has it. With 1, as figure 1 has it, each part may move.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "placement/placement_figures.hpp"
#include "support/program.hpp"

namespace bench {

using numbers = std::vector<std::int32_t>;

/// As figure 1's: the length of the left part, from 1 on; no number on the left is greater than one on the right. Of two numbers at least.
std::size_t partition(std::span<std::int32_t> part);

/// Figure 1 without tasks.
void sort_sequentially(std::span<std::int32_t> part);

class quicksort_problem {
public:
  static constexpr std::int32_t k_below = 9999;

  explicit quicksort_problem(const options& o);

  [[nodiscard]] std::size_t grain() const { return grain_; }
  [[nodiscard]] numbers& data() { return data_; }
  void ran(const placement_figures& figures) { figures_ = figures; }

  void reset() { data_ = input_; }
  /// Sorted, and each number as often as in the input.
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return input_.size(); }
  void report(nlohmann::json& line) const;

private:
  using counts = std::array<std::uint64_t, k_below>;
  [[nodiscard]] static counts counts_in(const numbers& some);

  std::string shape_;
  std::size_t grain_;
  numbers input_;
  numbers data_;
  placement_figures figures_;
};

}  // namespace bench
