// SPDX-License-Identifier: Apache-2.0
// Steps (steps.hpp) that are forked one by one: each is a parallel region of its own, as `omp parallel for` makes it.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "support/openmp_steps.hpp"

namespace bench {

class openmp_forked_steps {
public:
  explicit openmp_forked_steps(int threads) : threads_(threads) {}

  template <class F>
  void each(std::size_t n, F&& f) {
    const auto parts = static_cast<std::size_t>(threads_);
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::size_t i = 0; i < parts; ++i) f(part_of(n, i, parts));
  }

  [[nodiscard]] bool keeps(std::size_t /*n*/, std::size_t /*i*/) const { return true; }
  [[nodiscard]] bool leads() const { return true; }

private:
  int threads_;
};

/// The competitors libgomp and libomp where `--shape parallel_for` asks for a region for each step instead of one for all. Of
/// problems whose steps are all each().
template <class Problem>
class openmp_either_solver {
public:
  openmp_either_solver(const options& o, Problem& p) : one_region_(o, p), threads_(o.threads), problem_(p) {
    if (!o.shape.empty() && o.shape != "parallel_for") {
      throw std::invalid_argument("--shape is parallel_for or nothing, not '" + o.shape + "'");
    }
    forks_ = !o.shape.empty();
  }

  void pass() {
    if (!forks_) {
      one_region_.pass();
      return;
    }
    openmp_forked_steps steps(threads_);
    problem_.solve(steps);
  }

private:
  openmp_solver<Problem> one_region_;
  bool forks_ = false;
  int threads_;
  Problem& problem_;
};

}  // namespace bench
