// SPDX-License-Identifier: Apache-2.0
// The competitors libgomp and libomp: a taskgroup at the root joins tasks of tasks, so nothing waits in between.
#pragma once

#include "support/openmp_team.hpp"
#include "tasks/uts/uts.hpp"

namespace bench {

class openmp_uts {
public:
  openmp_uts(const options& o, uts_problem& p) : team_(o.threads), problem_(p) {}
  void pass() {
    problem_.with_tree([this](const auto& tree) {
      team_.run([this, &tree] {
#pragma omp taskgroup
        visit(&problem_, &tree, tree.root());
      });
    });
  }

private:
  template <class Tree>
  static void visit(uts_problem* problem, const Tree* tree, typename Tree::node n) {
    const std::uint32_t children = problem->count(*tree, n);
    for (std::uint32_t i = 0; i < children; ++i) {
      const typename Tree::node child = tree->child(n, i);
#pragma omp task firstprivate(problem, tree, child)
      visit(problem, tree, child);
    }
  }

  openmp_team team_;
  uts_problem& problem_;
};

}  // namespace bench
