// SPDX-License-Identifier: Apache-2.0
// Problem nas_mg: the kernel MG of the NAS Parallel Benchmarks (NPB 3), from its specification: four V-cycles of a
// multigrid method for a Poisson equation on a periodic cube whose right side is +1 at ten points, -1 at ten, 0 elsewhere.
//
// Charges and answer are the official ones: a run is right when the L2 norm of what remains of the right side is the
// published one to 1e-8, as the specification asks. The unit is one point of the finest grid in one cycle. The cycle that
// NPB runs before its clock starts is left out: the first repetition of a process is not counted anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/nas_mg/grid.hpp"
#include "support/program.hpp"
#include "support/steps.hpp"

namespace bench {

class nas_mg_problem {
public:
  explicit nas_mg_problem(const options& o);

  /// All cycles. u is 0 before.
  template <class Steps>
  void solve(Steps& steps) {
    steps.each(size(), [this](part points) { find_residual(finest(), points); });
    for (int i = 0; i < k_iterations; ++i) {
      correct(steps);
      steps.each(size(), [this](part points) { find_residual(finest(), points); });
    }
    const double squares = steps.sum(size(), [this](part points) { return squares_of_residual(points); });
    if (steps.leads()) norm_ = mean_root(squares);
  }

  void reset();
  void verify() const;
  [[nodiscard]] std::uint64_t operations() const;
  void report(nlohmann::json& line) const;

  [[nodiscard]] std::size_t size() const { return class_.points; }
  [[nodiscard]] double norm() const { return norm_; }

private:
  /// What the specification fixes for a class of problems.
  struct problem_class {
    char name;
    std::size_t points;  ///< in each direction, a power of two
    double norm;         ///< the answer
  };

  static constexpr int k_iterations = 4;
  static constexpr std::size_t k_coarsest = 2;  ///< points in each direction

  static const problem_class& class_named(const std::string& name);
  void make_charges();
  [[nodiscard]] double mean_root(double squares) const;
  [[nodiscard]] std::size_t finest() const { return u_.size() - 1; }

  /// One V-cycle: down to two points in each direction and up again.
  template <class Steps>
  void correct(Steps& steps) {
    for (std::size_t k = finest(); k > 0; --k) {
      steps.each(u_[k - 1].points(), [this, k](part points) { restrict_residual(k, points); });
    }
    steps.each(k_coarsest, [this](part points) { solve_coarsest(points); });
    for (std::size_t k = 1; k <= finest(); ++k) {
      steps.each(u_[k - 1].points() + 1, [this, k](part planes) { prolongate(k, planes); });
      steps.each(u_[k].points(), [this, k](part points) { find_residual(k, points); });
      steps.each(u_[k].points(), [this, k](part points) { smooth(k, points); });
    }
  }

  // The loops, out of line so that every competitor runs the same code, whatever compiled the competitor. Each writes
  // planes of its own only, and reads neighbours' planes only in grids that are complete since the last step.
  void find_residual(std::size_t level, part points);      ///< r = v - A u; below the finest level r = r - A u
  void restrict_residual(std::size_t level, part points);  ///< r one level down, from this level's
  void solve_coarsest(part points);                        ///< u = S r
  void prolongate(std::size_t level, part coarse_planes);  ///< u += Q u of the level below; below the finest u = Q u
  void smooth(std::size_t level, part points);             ///< u += S r
  [[nodiscard]] double squares_of_residual(part points) const;

  const problem_class& class_;
  grid v_;
  std::vector<grid> u_;  // the coarsest first
  std::vector<grid> r_;
  double norm_ = 0;
};

}  // namespace bench
