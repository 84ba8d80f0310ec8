// SPDX-License-Identifier: Apache-2.0
// Problem jgf_lufact: LUFact of the Java Grande Forum's multithreaded suite 1.0, section 2: LINPACK's solution of a dense
// system by Gaussian elimination with partial pivoting, 500, 1,000 or 2,000 rows in classes A, B and C.
// work-stealing.txt, figures 14 and 15, has class C.
//
// Matrix, arithmetic and limits are the suite's: the greatest residual of the solution, over that of rounding (rows x the
// norms of matrix and solution x 2^-52), may be 6, 12 or 20. So may that of the factors, times another vector; which is all
// there is to check in class C. For LINPACK's random numbers come again after 2^14, so that C has rank 1,024, all pivots
// from about the 1,165th on are 0, and the solution is not a number, which the suite takes for right.
// The matrix is stored by columns. For each column one finds the pivot and makes the multipliers, then a step changes the
// columns to its right; at the end one substitutes back. The suite has further barriers, around the exchange of the pivot.
// The unit is a floating-point operation, of which LINPACK counts 2/3 n^3 + 2 n^2; class C has fewer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class jgf_lufact_problem {
public:
  explicit jgf_lufact_problem(const options& o);

  template <class Steps>
  void solve(Steps& steps) {
    for (std::size_t k = 0; k + 1 < size(); ++k) {
      steps.once([this, k] { choose_pivot(k); });
      const std::size_t first = k + 1;
      steps.each(size() - first, [this, k, first](part p) { eliminate(k, {first + p.begin, first + p.end}); });
    }
    steps.once([this] { substitute(); });
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const;
  void report(nlohmann::json& line) const;

  [[nodiscard]] std::size_t size() const { return class_.order; }

  // Over that of rounding. What the suite's limit is for; and of the factors times a vector.
  [[nodiscard]] double residual_of_solution() const;
  [[nodiscard]] double residual_of_factors() const;

private:
  /// What the suite fixes for a class.
  struct problem_class {
    char name;
    std::size_t order;
    double largest_residual;
    bool has_solution;
  };

  static const problem_class& class_named(const std::string& name);
  void make_system();
  [[nodiscard]] double* column(std::size_t i) { return factors_.data() + i * size(); }
  [[nodiscard]] const double* column(std::size_t i) const { return factors_.data() + i * size(); }
  [[nodiscard]] double normalised_residual(const std::vector<double>& x, const std::vector<double>& product) const;
  void check(const char* what, double residual) const;

  // The loops, out of line so that every competitor runs the same code, whatever compiled the competitor.
  void choose_pivot(std::size_t k);             ///< and exchanges it in its column, which becomes the multipliers
  void eliminate(std::size_t k, part columns);  ///< by column k, which is complete
  void substitute();

  const problem_class& class_;
  std::vector<double> matrix_;
  std::vector<double> right_side_;
  double norm_ = 0;  // the greatest element of the matrix
  std::vector<double> factors_;
  std::vector<double> solution_;  // before the end, the right side
  std::vector<std::size_t> pivots_;
};

}  // namespace bench
