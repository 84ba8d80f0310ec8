// SPDX-License-Identifier: Apache-2.0
// Steps (steps.hpp) of one parallel region: each is one `omp for`, over as many parts as there are threads, which ends
// with the region's barrier. The loops inside a part are the problem's own, as in all competitors.
#pragma once

#include <cstddef>

#include "support/openmp_team.hpp"
#include "support/steps.hpp"

namespace bench {

// What a reduction names. g++ adds to a variable by one atomic operation, where for a section of an array it takes a lock;
// clang takes no reference to a variable there.
#ifdef __clang__
using reduced = double*;
#define BENCH_REDUCED(sum) sum[:1]
inline reduced refer_to(double& sum) { return &sum; }
inline double& value_of(reduced sum) { return *sum; }
#else
using reduced = double&;
#define BENCH_REDUCED(sum) sum
inline reduced refer_to(double& sum) { return sum; }
inline double& value_of(reduced sum) { return sum; }
#endif

/// What one thread of the region has of it.
class openmp_steps {
public:
  openmp_steps(shared_sums& sums, int thread, int threads)
      : turn_(sums, thread == 0),
        thread_(static_cast<std::size_t>(thread)),
        threads_(static_cast<std::size_t>(threads)) {}

  template <class F>
  void each(std::size_t n, F&& f) {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < threads_; ++i) f(part_of(n, i, threads_));
  }

  template <class F>
  void uneven(std::size_t n, std::size_t grain, F&& f) {
    const std::size_t parts = parts_of_grain(n, grain);
#pragma omp for schedule(dynamic, 1)
    for (std::size_t i = 0; i < parts; ++i) f(part_of_grain(n, i, grain));
  }

  template <class F>
  void once(F&& f) {
#pragma omp single
    f();
  }

  template <class F>
  double sum(std::size_t n, F&& f) {
    reduced all = refer_to(turn_.next().first);
#pragma omp for schedule(static) reduction(+ : BENCH_REDUCED(all))
    for (std::size_t i = 0; i < threads_; ++i) value_of(all) += f(part_of(n, i, threads_));
    return value_of(all);
  }

  template <class F>
  pair_of_sums sums(std::size_t n, F&& f) {
    pair_of_sums& both = turn_.next();
    reduced first = refer_to(both.first);
    reduced second = refer_to(both.second);
#pragma omp for schedule(static) reduction(+ : BENCH_REDUCED(first), BENCH_REDUCED(second))
    for (std::size_t i = 0; i < threads_; ++i) {
      const pair_of_sums s = f(part_of(n, i, threads_));
      value_of(first) += s.first;
      value_of(second) += s.second;
    }
    return both;
  }

  [[nodiscard]] bool keeps(std::size_t n, std::size_t i) const { return holds(part_of(n, thread_, threads_), i); }
  [[nodiscard]] bool leads() const { return thread_ == 0; }

private:
  turn_at_sums turn_;
  std::size_t thread_;
  std::size_t threads_;
};

/// The competitors libgomp and libomp.
template <class Problem>
class openmp_solver {
public:
  openmp_solver(const options& o, Problem& p) : team_(o.threads), threads_(o.threads), problem_(p) {}

  void pass() {
    shared_sums sums;
    team_.run_in_all([this, &sums](int thread) {
      openmp_steps steps(sums, thread, threads_);
      problem_.solve(steps);
    });
  }

private:
  openmp_team team_;
  int threads_;
  Problem& problem_;
};

}  // namespace bench

#undef BENCH_REDUCED
