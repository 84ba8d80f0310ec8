// SPDX-License-Identifier: Apache-2.0
// One parallel region for all phases, as libgomp and libomp both have it. Shapes:
//   barrier   each thread is a task, and `omp barrier` ends the phase
//   static    a phase is one `omp for schedule(static)` over the tasks, which ends with a barrier
#pragma once

#include <string>

#include "support/openmp_team.hpp"
#include "sync/lockstep/lockstep.hpp"

namespace bench {

class openmp_lockstep {
public:
  openmp_lockstep(const options& o, lockstep_problem& p) : team_(o.threads), problem_(p) {
    if (p.shape() != "barrier" && p.shape() != "static") {
      throw std::invalid_argument("lockstep: OpenMP has the shapes barrier and static, not '" + p.shape() + "'");
    }
    if (p.shape() == "barrier" && p.size() != static_cast<std::uint64_t>(o.threads)) {
      throw std::invalid_argument("lockstep: the shape barrier has as many tasks as threads");
    }
    p.expect_ns(3000, p.shape() == "barrier" ? 0 : 1.5);  // of spinning and sleeping threads together
  }

  void pass() {
    if (problem_.shape() == "barrier") {
      team_.run_in_all([this](int thread) { wait_at_barriers(thread); });
    } else {
      team_.run_in_all([this](int thread) { share_loops(thread); });
    }
  }

private:
  void wait_at_barriers(int thread) {
    problem_.run_phases(thread == 0, [this, thread] {
      problem_.update(static_cast<std::uint64_t>(thread));
#pragma omp barrier
    });
  }

  void share_loops(int thread) {
    problem_.run_phases(thread == 0, [this] {
      const std::uint64_t n = problem_.size();
#pragma omp for schedule(static)
      for (std::uint64_t i = 0; i < n; ++i) problem_.update(i);
    });
  }

  openmp_team team_;
  lockstep_problem& problem_;
};

}  // namespace bench
