// SPDX-License-Identifier: Apache-2.0
// Problem spectral_norm, of the computer language benchmarks game: the spectral norm of the infinite matrix with the
// elements 1 / ((i + j)(i + j + 1) / 2 + i + 1), cut off at size rows, by ten rounds of the power method with A^T A;
// at the end sqrt(vBv / vv). phaser-accumulators.txt, table 2 and figures 11 to 13. Shapes:
//   rows    every product divides its rows; a step is a product; only vBv and vv are sums of all
//   inner   as the paper has it ("we parallelized the three inner reduction loops"): every row of every product is
//           itself a sum of all, and a step; there are 40 x size of them
// The unit is one element of the matrix in one product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class spectral_norm_problem {
public:
  static constexpr std::uint64_t k_default_size = 2000;
  static constexpr std::uint64_t k_largest_size = 20'000;  // (i + j)(i + j + 1) has to fit into 32 bits

  explicit spectral_norm_problem(const options& o);

  template <class Steps>
  void solve(Steps& steps) {
    for (int i = 0; i < k_products; ++i) {
      const factor by = i % 2 == 0 ? factor::a : factor::a_transposed;
      multiply(steps, by, vector(i), vector(i + 1));
    }
    const pair_of_sums s = steps.sums(size_, [this](part of) { return vbv_and_vv(of); });
    if (steps.leads()) vbv_and_vv_ = s;
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const;
  void report(nlohmann::json& line) const;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double norm() const;

  /// What is right for this size, to about 17 digits; slow where it is not one of those known.
  static long double exact_norm(std::uint64_t size);
  /// The same, computed in any case.
  static long double compute_exact_norm(std::uint64_t size);

private:
  enum class factor { a, a_transposed };

  static constexpr int k_rounds = 10;
  static constexpr int k_products = 4 * k_rounds;  // v = A^T A u, then u = A^T A v

  [[nodiscard]] std::vector<double>& vector(int i) { return vectors_[static_cast<std::size_t>(i)]; }

  /// Of the vectors, the shape inner reads and writes only what is in the caller's own part.
  template <class Steps>
  void multiply(Steps& steps, factor by, const std::vector<double>& in, std::vector<double>& out) {
    if (by_rows_) {
      steps.each(size_, [by, &in, &out](part rows) { multiply_rows(by, in, out, rows); });
      return;
    }
    for (std::size_t row = 0; row < size_; ++row) {
      const double sum = steps.sum(size_, [by, row, &in](part columns) { return multiply_row(by, row, in, columns); });
      if (steps.keeps(size_, row)) out[row] = sum;
    }
  }

  // The loops, out of line so that every competitor runs the same code, whatever compiled the competitor.
  static void multiply_rows(factor by, const std::vector<double>& in, std::vector<double>& out, part rows);
  static double multiply_row(factor by, std::size_t row, const std::vector<double>& in, part columns);
  pair_of_sums vbv_and_vv(part of);

  std::size_t size_;
  bool by_rows_ = true;  // also in the run that finds the right vectors
  /// The first, and one of its own for each product: an error is seen wherever it was made. The power method would
  /// forget it in a few rounds.
  std::vector<std::vector<double>> vectors_;
  std::vector<std::vector<double>> right_vectors_;  // of a serial run
  pair_of_sums vbv_and_vv_;
  pair_of_sums right_vbv_and_vv_;
  double right_norm_;
};

}  // namespace bench
