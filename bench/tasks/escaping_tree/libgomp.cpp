// SPDX-License-Identifier: Apache-2.0
// A taskgroup at the root joins tasks of tasks, so nothing waits in between.
#include "support/openmp_team.hpp"
#include "tasks/escaping_tree/escaping_tree.hpp"

namespace {

void visit(bench::tree_problem* p, std::uint64_t i) {
  p->set(i);
  for (const std::uint64_t child : {2 * i + 1, 2 * i + 2}) {
    if (p->has(child)) {
#pragma omp task firstprivate(p, child)
      visit(p, child);
    }
  }
}

class libgomp {
public:
  libgomp(const bench::options& o, bench::tree_problem& p) : team_(o.threads), problem_(p) {}
  void pass() {
    team_.run([this] {
#pragma omp taskgroup
      visit(&problem_, 0);
    });
  }

private:
  bench::openmp_team team_;
  bench::tree_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::tree_problem, libgomp>(argc, argv, "escaping_tree", "libgomp");
}
