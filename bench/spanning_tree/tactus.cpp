// SPDX-License-Identifier: Apache-2.0
#include "spanning_tree/spanning_tree.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_spanning_tree {
public:
  tactus_spanning_tree(const bench::options& o, bench::spanning_problem& p) : pool_(o), problem_(p) {}
  void pass() {
    pool_.run([this] { ts::finish([this] { compute(bench::spanning_problem::k_root); }); });
  }

private:
  void compute(bench::vertex u) {
    for (const bench::vertex v : problem_.neighbours(u)) {
      if (problem_.label(v, u)) ts::async([this, v] { compute(v); });
    }
  }

  bench::tactus_pool pool_;
  bench::spanning_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::spanning_problem, tactus_spanning_tree>(argc, argv, "spanning_tree", "tactus");
}
