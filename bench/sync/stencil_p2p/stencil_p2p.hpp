// SPDX-License-Identifier: Apache-2.0
// Problem stencil_p2p: tasks that depend on their neighbours only. n tasks go through phases; what a task does in one
// phase is a block, and the unit.
//
//   --pattern averaging   figures 2 and 4 of phaser-accumulators.txt with a fixed number of iterations: n * size + 2
//                         cells, each the mean of its neighbours one phase earlier; a task owns `size` cells. Block
//                         (i, j) needs (i - 1, j - 1), (i, j - 1) and (i + 1, j - 1). It also overwrites what these
//                         have read: two arrays change places.
//   --pattern wavefront   the table of a local alignment of two random strings (Smith-Waterman), in squares of
//                         size * size; a task is a row of them, a phase a column. Block (i, j) needs (i - 1, j) and
//                         (i, j - 1).
//   --load unbalanced     one block in each 16 of a task, at a random place, is made 128 times.
//
// The answer is compared with a sequential one, all of it and bit by bit. Before each pass the cells that have to be
// written hold what spoils everything made from it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "sync/stencil_p2p/pattern.hpp"

namespace bench {

class stencil_problem {
public:
  static constexpr std::uint64_t k_default_tasks = 4;
  static constexpr std::uint64_t k_default_phases = 1024;
  static constexpr std::uint64_t k_averaging_size = 1024;
  static constexpr std::uint64_t k_wavefront_size = 16;

  static constexpr std::uint64_t k_one_in = 16;
  static constexpr std::uint8_t k_heavy = 128;

  explicit stencil_problem(const options& o);

  [[nodiscard]] bool is_wavefront() const { return is_wavefront_; }
  [[nodiscard]] std::uint64_t tasks() const { return tasks_; }
  [[nodiscard]] std::uint64_t phases() const { return phases_; }

  /// Block (task, phase), when those are made that it needs.
  void make(std::uint64_t task, std::uint64_t phase) {
    for (std::uint8_t left = times(task, phase); left != 0; --left) pattern_->make(task, phase);
  }

  /// How many times it is made.
  [[nodiscard]] std::uint8_t times(std::uint64_t task, std::uint64_t phase) const {
    return times_[task * phases_ + phase];
  }

  /// With a barrier after each step, the tasks that have a block to make in it, and which: those of a wavefront begin
  /// one after the other.
  [[nodiscard]] std::uint64_t steps() const { return is_wavefront_ ? phases_ + tasks_ - 1 : phases_; }
  [[nodiscard]] std::uint64_t first_step(std::uint64_t task) const { return is_wavefront_ ? task : 0; }
  [[nodiscard]] bool has_block(std::uint64_t task, std::uint64_t step) const {
    return step >= first_step(task) && step - first_step(task) < phases_;
  }
  void make_in_step(std::uint64_t task, std::uint64_t step) { make(task, step - first_step(task)); }

  void reset() { pattern_->reset(); }
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return tasks_ * phases_; }
  void report(nlohmann::json& line) const;

private:
  bool is_wavefront_;
  std::uint64_t tasks_;
  std::uint64_t phases_;
  std::uint64_t size_;
  std::string load_;
  std::string form_;
  std::vector<std::uint8_t> times_;  // of block (task, phase), the phases of a task together
  std::unique_ptr<stencil_pattern> pattern_;
};

}  // namespace bench
