// SPDX-License-Identifier: Apache-2.0
// Reductions as libgomp and libomp both have them. Shapes:
//   for        one parallel region for all phases; a phase is one `omp for reduction`, which ends with a barrier
//   atomic     the same with `omp atomic` into a shared sum and `omp barrier`
//   parallel   a parallel region with a reduction for each phase, as in EPCC's syncbench
// With fewer threads than tasks each thread has several of them, always the same.
#pragma once

#include <stdexcept>
#include <string>

#include "support/openmp_team.hpp"
#include "sync/syncbench/syncbench.hpp"

namespace bench {

class openmp_syncbench {
public:
  openmp_syncbench(const options& o, syncbench_problem& p)
      : options_(o), threads_(static_cast<std::uint64_t>(o.threads)), team_(o.threads), problem_(p) {
    if (o.shape != "for" && o.shape != "atomic" && o.shape != "parallel") {
      throw std::invalid_argument("syncbench: --shape is for, atomic or parallel, not '" + o.shape + "'");
    }
    // More threads than cores wait for one another's time slices.
    p.expect_ns(omp_get_num_procs() < o.threads ? 20'000 : 3'000, 0);
  }

  void pass() {
    with_type(options_, [this]<class T>(T /*type*/) {
      if (options_.shape == "for") {
        share_loops<T>();
      } else if (options_.shape == "atomic") {
        add_atomically<T>();
      } else {
        fork_each_phase<T>();
      }
    });
  }

private:
  /// The variables of a reduction have to be seen to be shared: no sums_in_turn here, but two of them in turn.
  template <class T>
  void share_loops() {
    const std::uint64_t n = problem_.tasks();
    T even{};
    T odd{};
#pragma omp parallel num_threads(options_.threads)
    {
      const int thread = omp_get_thread_num();
      added_in_turn<T> added;
      for (std::uint64_t phase = 0; phase < problem_.phases(); ++phase) {
        if (thread == 0) problem_.reaches(phase);
        if (phase % 2 == 0) {
#pragma omp for schedule(static, 1) reduction(+ : even)
          for (std::uint64_t i = 0; i < n; ++i) even += contribution<T>(i, phase);
        } else {
#pragma omp for schedule(static, 1) reduction(+ : odd)
          for (std::uint64_t i = 0; i < n; ++i) odd += contribution<T>(i, phase);
        }
        check_own(thread, phase, added.in_phase(phase, phase % 2 == 0 ? even : odd));
      }
      if (thread == 0) problem_.reaches(problem_.phases());
    }
  }

  template <class T>
  void add_atomically() {
    sums_in_turn<T> sums;
    team_.run_in_all([this, &sums](int thread) {
      added_in_turn<T> added;
      problem_.run_phases(thread == 0, [&](std::uint64_t phase) {
        T& sum = sums.of_phase(phase);
        for (std::uint64_t i = first(thread); i < problem_.tasks(); i += threads_) {
          const T value = contribution<T>(i, phase);
#pragma omp atomic
          sum += value;
        }
#pragma omp barrier
        check_own(thread, phase, added.in_phase(phase, sum));
      });
    });
  }

  template <class T>
  void fork_each_phase() {
    const std::uint64_t n = problem_.tasks();
    problem_.run_phases(true, [this, n](std::uint64_t phase) {
      T sum{};
#pragma omp parallel for num_threads(options_.threads) schedule(static, 1) reduction(+ : sum)
      for (std::uint64_t i = 0; i < n; ++i) sum += contribution<T>(i, phase);
      problem_.check_all(phase, sum);
    });
  }

  template <class T>
  T contribution(std::uint64_t i, std::uint64_t phase) const {
    problem_.delay(i);
    return problem_.value<T>(i, phase);
  }

  /// By schedule(static, 1) a thread has every so many-th task, beginning with its own number.
  template <class T>
  void check_own(int thread, std::uint64_t phase, T sum) {
    for (std::uint64_t i = first(thread); i < problem_.tasks(); i += threads_) problem_.check(i, phase, sum);
  }

  static std::uint64_t first(int thread) { return static_cast<std::uint64_t>(thread); }

  options options_;
  std::uint64_t threads_;
  openmp_team team_;
  syncbench_problem& problem_;
};

}  // namespace bench
