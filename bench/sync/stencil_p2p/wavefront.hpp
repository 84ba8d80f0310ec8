// SPDX-License-Identifier: Apache-2.0
// Local alignment of two strings in squares (Smith-Waterman).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "support/random_numbers.hpp"
#include "sync/stencil_p2p/pattern.hpp"

namespace bench {

/// The score of the best alignment that ends at two letters: a match gives 2, anything else takes 1, none is below 0.
/// Cells that are still to be written hold a score that none can have and that wins over all others.
class wavefront final : public stencil_pattern {
public:
  using score = std::int32_t;

  wavefront(std::uint64_t tasks, std::uint64_t phases, std::uint64_t size, std::uint64_t seed)
      : size_(size), down_(tasks * size), across_(phases * size), width_(across_.size() + 1) {
    random_numbers random(seed);
    for (auto* letters : {&down_, &across_}) {
      for (std::uint8_t& x : *letters) x = static_cast<std::uint8_t>(random.below(k_letters));
    }
  }

  void reset() override {
    table_.assign((down_.size() + 1) * width_, k_unwritten);
    std::fill_n(table_.begin(), width_, 0);
    for (std::uint64_t r = 0; r <= down_.size(); ++r) table_[r * width_] = 0;
  }

  void make(std::uint64_t task, std::uint64_t phase) override { align(task * size_, phase * size_); }
  void keep() override { kept_ = table_; }

  [[nodiscard]] std::uint64_t first_difference() const override {
    return static_cast<std::uint64_t>(std::ranges::mismatch(table_, kept_).in1 - table_.begin());
  }

  [[nodiscard]] std::uint64_t cells() const override { return table_.size(); }
  [[nodiscard]] const std::vector<std::uint8_t>& down() const { return down_; }
  [[nodiscard]] const std::vector<std::uint8_t>& across() const { return across_; }
  /// Of the best alignment that ends with so many letters of each.
  [[nodiscard]] score at(std::uint64_t d, std::uint64_t a) const { return table_[d * width_ + a]; }

private:
  static constexpr score k_unwritten = 1 << 28;

  /// Of two letters. A table, for a comparison would be a branch that nobody can predict but where a square is made again.
  static constexpr std::size_t k_letters = 4;
  static constexpr std::array<std::array<score, k_letters>, k_letters> k_gains{
      {{2, -1, -1, -1}, {-1, 2, -1, -1}, {-1, -1, 2, -1}, {-1, -1, -1, 2}}};

  [[gnu::noinline]] void align(std::uint64_t row, std::uint64_t column) {
    for (std::uint64_t r = row; r < row + size_; ++r) {
      const score* const above = table_.data() + r * width_ + column;
      score* const here = table_.data() + (r + 1) * width_ + column;
      const auto& gains = k_gains[down_[r]];
      for (std::uint64_t c = 0; c < size_; ++c) {
        here[c + 1] = std::max({0, above[c] + gains[across_[column + c]], above[c + 1] - 1, here[c] - 1});
      }
    }
  }

  std::uint64_t size_;
  std::vector<std::uint8_t> down_;
  std::vector<std::uint8_t> across_;
  std::uint64_t width_;
  std::vector<score> table_;
  std::vector<score> kept_;
};

}  // namespace bench
