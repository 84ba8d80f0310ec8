// SPDX-License-Identifier: Apache-2.0
#include "support/tactus_batched.hpp"
#include "support/tactus_pool.hpp"
#include "tasks/spanning_tree/spanning_tree.hpp"

namespace ts = tactus;

namespace {

using bench::tasks;

class tactus_spanning_tree {
public:
  tactus_spanning_tree(const bench::options& o, bench::spanning_problem& p)
      : pool_(o), tasks_(bench::tasks_of(o)), problem_(p) {}
  void pass() {
    pool_.run([this] {
      constexpr bench::vertex root = bench::spanning_problem::k_root;
      ts::finish([this] { tasks_ == tasks::batched ? compute<tasks::batched>(root) : compute<tasks::single>(root); });
    });
  }

private:
  template <tasks Kind>
  void compute(bench::vertex u) {
    for (const bench::vertex v : problem_.neighbours(u)) {
      if (problem_.label(v, u)) bench::spawn<Kind>([this, v] { compute<Kind>(v); });
    }
  }

  bench::tactus_pool pool_;
  tasks tasks_;
  bench::spanning_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::spanning_problem, tactus_spanning_tree>(argc, argv, "spanning_tree", "tactus");
}
