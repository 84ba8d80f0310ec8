// SPDX-License-Identifier: Apache-2.0
// The competitors libgomp and libomp: a taskgroup at the root joins tasks of tasks.
#pragma once

#include "support/openmp_team.hpp"
#include "tasks/nqueens/nqueens.hpp"

namespace bench {

class openmp_queens {
public:
  openmp_queens(const options& o, queens_problem& p) : team_(o.threads), problem_(p) {}
  void pass() {
    team_.run([this] {
#pragma omp taskgroup
      put(&problem_, {});
    });
  }

private:
  static void put(queens_problem* problem, const queens& q) {
    problem->extend(q, [problem](const queens& more) {
#pragma omp task firstprivate(problem, more)
      put(problem, more);
    });
  }

  openmp_team team_;
  queens_problem& problem_;
};

}  // namespace bench
