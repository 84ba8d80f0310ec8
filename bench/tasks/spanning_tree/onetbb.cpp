// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/task_group.h>

#include "support/onetbb_pool.hpp"
#include "tasks/spanning_tree/spanning_tree.hpp"

namespace {

class onetbb {
public:
  onetbb(const bench::options& o, bench::spanning_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] {
      oneapi::tbb::task_group group;
      compute(group, bench::spanning_problem::k_root);
      group.wait();
    });
  }

private:
  void compute(oneapi::tbb::task_group& group, bench::vertex u) {
    for (const bench::vertex v : problem_.neighbours(u)) {
      if (problem_.label(v, u)) group.run([this, &group, v] { compute(group, v); });
    }
  }

  bench::onetbb_pool pool_;
  bench::spanning_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::spanning_problem, onetbb>(argc, argv, "spanning_tree", bench::k_onetbb);
}
