// SPDX-License-Identifier: Apache-2.0
// With the default stack this overflows from some tens of thousands of vertices on: beyond 64 waiting tasks
// per thread libgomp runs a new task inside its spawner, and the nesting is then as deep as the search.
#include "support/openmp_team.hpp"
#include "tasks/spanning_tree/spanning_tree.hpp"

namespace {

void compute(bench::spanning_problem* p, bench::vertex u) {
  for (const bench::vertex v : p->neighbours(u)) {
    if (p->label(v, u)) {
#pragma omp task firstprivate(p, v)
      compute(p, v);
    }
  }
}

class libgomp {
public:
  libgomp(const bench::options& o, bench::spanning_problem& p) : team_(o.threads), problem_(p) {}
  void pass() {
    team_.run([this] {
#pragma omp taskgroup
      compute(&problem_, bench::spanning_problem::k_root);
    });
  }

private:
  bench::openmp_team team_;
  bench::spanning_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::spanning_problem, libgomp>(argc, argv, "spanning_tree", "libgomp");
}
