// SPDX-License-Identifier: Apache-2.0
// Problem jgf_series: Series of the Java Grande Forum's multithreaded suite 1.0, section 2: the first Fourier coefficients
// of (x + 1)^x on [0, 2], each an integral by the trapezoidal rule with 1,000 intervals. Classes A, B and C have 10,000,
// 100,000 and 1,000,000 pairs of them. work-stealing.txt, figures 14 and 15, has class B.
//
// The suite looks at the first four pairs, which have to be right to 1e-12; so here. As its sums are periodic in the
// number of the pair, but for what their arguments are rounded by, every other pair is compared as well, with sums whose
// arguments are exact. The suite's loop lacks the last inner point of the rule, and both sums here do.
// All pairs are one step. The unit is a coefficient, of which the first pair has one, as the suite counts them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class jgf_series_problem {
public:
  /// Classes of the suite, and T, which is small and meant for tests.
  explicit jgf_series_problem(const options& o);

  template <class Steps>
  void solve(Steps& steps) {
    steps.each(size(), [this](part pairs) { integrate(pairs); });
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const { return 2 * size() - 1; }
  void report(nlohmann::json& line) const;

  [[nodiscard]] std::size_t size() const { return cosine_.size(); }

private:
  struct coefficients {
    double cosine;
    double sine;
  };

  static constexpr std::size_t k_period = 1000;
  static constexpr std::size_t k_published = 4;

  void make_right_pairs();
  void verify_published() const;

  // The loop, out of line so that every competitor runs the same code, whatever compiled the competitor.
  void integrate(part pairs);

  std::string class_name_;
  std::vector<double> cosine_;
  std::vector<double> sine_;
  std::array<coefficients, k_period> right_{};  // of pair i at i % k_period; the very first is half of what is here
};

}  // namespace bench
