// SPDX-License-Identifier: Apache-2.0
// The competitors libgomp and libomp.
#pragma once

#include <memory>

#include "placement/uts_places/uts_places.hpp"
#include "support/openmp_team.hpp"

namespace bench {

class openmp_uts_places {
public:
  openmp_uts_places(const options& o, uts_places_problem& p) : team_(o.threads), problem_(p) {}
  void pass() {
    problem_.with_tree([this](const auto& tree) {
      team_.run([this, &tree] {
#pragma omp taskgroup
        search(&problem_, &tree, {tree.root()});
      });
    });
  }

private:
  template <class Tree>
  static void search(uts_places_problem* problem, const Tree* tree, uts_nodes<Tree> known) {
    problem->add(search_and_share(*tree, std::move(known), problem->grain(), [problem, tree](uts_nodes<Tree> nodes) {
      auto* const half = new uts_nodes<Tree>(std::move(nodes));  // a task can copy, but not take over
#pragma omp task firstprivate(problem, tree, half)
      search(problem, tree, std::move(*std::unique_ptr<uts_nodes<Tree>>(half)));
    }));
  }

  openmp_team team_;
  uts_places_problem& problem_;
};

}  // namespace bench
