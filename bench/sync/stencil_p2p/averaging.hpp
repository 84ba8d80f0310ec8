// SPDX-License-Identifier: Apache-2.0
// Iterative averaging in one dimension.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/random_numbers.hpp"
#include "sync/stencil_p2p/pattern.hpp"

namespace bench {

/// Two arrays with a cell at either end that never changes. Cells that are still to be written hold no number, which
/// every mean with it is then.
class averaging final : public stencil_pattern {
public:
  averaging(std::uint64_t tasks, std::uint64_t phases, std::uint64_t size, std::uint64_t seed)
      : size_(size), phases_(phases), start_(tasks * size + 2) {
    random_numbers random(seed);
    for (double& x : start_) x = static_cast<double>(random.below(1 << 30)) / (1 << 30);
  }

  void reset() override {
    cells_[0] = start_;
    cells_[1].assign(start_.size(), std::numeric_limits<double>::quiet_NaN());
    cells_[1].front() = start_.front();
    cells_[1].back() = start_.back();
  }

  void make(std::uint64_t task, std::uint64_t phase) override {
    const std::uint64_t first = task * size_ + 1;
    average(cells_[phase % 2].data() + first, cells_[(phase + 1) % 2].data() + first, size_);
  }

  void keep() override { kept_ = after(); }

  [[nodiscard]] std::uint64_t first_difference() const override {
    const auto is_same = [](double a, double b) {
      return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    };
    const auto [at, unused] = std::ranges::mismatch(after(), kept_, is_same);
    return static_cast<std::uint64_t>(at - after().begin());
  }

  [[nodiscard]] std::uint64_t cells() const override { return start_.size(); }
  [[nodiscard]] const std::vector<double>& before() const { return start_; }
  [[nodiscard]] const std::vector<double>& after() const { return cells_[phases_ % 2]; }

private:
  /// Not inlined: the same code for all, and made again where it is asked for again.
  [[gnu::noinline]] static void average(const double* from, double* to, std::uint64_t n) {
    for (std::uint64_t k = 0; k < n; ++k) to[k] = (from[static_cast<std::int64_t>(k) - 1] + from[k + 1]) / 2;
  }

  std::uint64_t size_;
  std::uint64_t phases_;
  std::vector<double> start_;
  std::array<std::vector<double>, 2> cells_;
  std::vector<double> kept_;
};

}  // namespace bench
