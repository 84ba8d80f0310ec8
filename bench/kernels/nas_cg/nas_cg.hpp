// SPDX-License-Identifier: Apache-2.0
// Problem nas_cg: the kernel CG of the NAS Parallel Benchmarks (NPB 3), from its specification: the smallest eigenvalue
// of a sparse symmetric matrix by inverse iteration, each system solved by 25 steps of the conjugate gradient method.
// phaser-accumulators.txt, table 2 and figures 11 to 13, has its classes S, W and A.
//
// Matrix and answer are the official ones: a run is right when zeta is the published one to 1e-10, as the specification
// asks; here also every solution of a system has to be one, for inverse iteration forgets an error of its beginning.
// The unit is one element of the matrix in one product with a vector. The outer iteration that NPB runs before its
// clock starts is left out: the first repetition of a process is not counted anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class nas_cg_problem {
public:
  explicit nas_cg_problem(const options& o);

  /// All outer iterations. x is 1 everywhere before.
  template <class Steps>
  void solve(Steps& steps) {
    double zeta = 0;
    double largest_residual = 0;
    for (int i = 0; i < class_.outer_iterations; ++i) {
      const double residual = solve_system(steps);
      const pair_of_sums s = steps.sums(size(), [this](part rows) { return xz_and_zz(rows); });
      zeta = class_.shift + 1 / s.first;
      // Not std::max: a residual that is not a number has to stay.
      if (!(residual <= largest_residual)) largest_residual = residual;
      const double scale = inverse_root(s.second);
      steps.each(size(), [this, scale](part rows) { x_becomes_z_times(scale, rows); });
    }
    if (steps.leads()) {
      zeta_ = zeta;
      largest_residual_ = largest_residual;
    }
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const;
  void report(nlohmann::json& line) const;

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(class_.order); }
  [[nodiscard]] std::uint64_t elements() const { return values_.size(); }
  [[nodiscard]] double zeta() const { return zeta_; }
  [[nodiscard]] double largest_residual() const { return largest_residual_; }

private:
  /// What the specification fixes for a class of problems.
  struct problem_class {
    char name;
    int order;     ///< rows of the matrix
    int nonzeros;  ///< elements of each random vector that the matrix is made of
    int outer_iterations;
    double shift;
    double zeta;  ///< the answer
  };

  static constexpr int k_inner_iterations = 25;

  static const problem_class& class_named(const std::string& name);
  static double inverse_root(double x);
  void make_matrix();

  /// The z for which A z = x, about; ||x - A z||.
  template <class Steps>
  double solve_system(Steps& steps) {
    double rho = steps.sum(size(), [this](part rows) { return begin(rows); });
    for (int i = 0; i < k_inner_iterations; ++i) {
      const double pq = steps.sum(size(), [this](part rows) { return q_becomes_a_times_p(rows); });
      const double alpha = rho / pq;
      const double rho_before = rho;
      rho = steps.sum(size(), [this, alpha](part rows) { return go(alpha, rows); });
      const double beta = rho / rho_before;
      steps.each(size(), [this, beta](part rows) { turn(beta, rows); });
    }
    return root(steps.sum(size(), [this](part rows) { return square_of_what_is_missing(rows); }));
  }

  static double root(double x);

  // The loops, out of line so that every competitor runs the same code, whatever compiled the competitor. Each writes
  // its own rows only; the two products with A read vectors that are complete since the last step.
  double begin(part rows);                      ///< z = 0, r = p = x; r.r
  double q_becomes_a_times_p(part rows);        ///< p.q
  double go(double alpha, part rows);           ///< z += alpha p, r -= alpha q; r.r
  void turn(double beta, part rows);            ///< p = r + beta p
  double square_of_what_is_missing(part rows);  ///< (x - A z).(x - A z)
  pair_of_sums xz_and_zz(part rows);            ///< x.z, z.z
  void x_becomes_z_times(double scale, part rows);

  const problem_class& class_;
  std::vector<std::uint32_t> row_begin_;  // one more than rows
  std::vector<std::int32_t> columns_;     // signed: what the processor's gather takes
  std::vector<double> values_;
  std::vector<double> x_;
  std::vector<double> z_;
  std::vector<double> p_;
  std::vector<double> q_;
  std::vector<double> r_;
  double zeta_ = 0;
  double largest_residual_ = 0;
};

}  // namespace bench
