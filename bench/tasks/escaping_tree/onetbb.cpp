// SPDX-License-Identifier: Apache-2.0
// One task_group for the whole tree is how oneTBB says an escaping task.
#include <oneapi/tbb/task_group.h>

#include "support/onetbb_pool.hpp"
#include "tasks/escaping_tree/escaping_tree.hpp"

namespace {

class onetbb {
public:
  onetbb(const bench::options& o, bench::tree_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] {
      oneapi::tbb::task_group group;
      visit(group, 0);
      group.wait();
    });
  }

private:
  void visit(oneapi::tbb::task_group& group, std::uint64_t i) {
    problem_.set(i);
    for (const std::uint64_t child : {2 * i + 1, 2 * i + 2}) {
      if (problem_.has(child)) group.run([this, &group, child] { visit(group, child); });
    }
  }

  bench::onetbb_pool pool_;
  bench::tree_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::tree_problem, onetbb>(argc, argv, "escaping_tree", bench::k_onetbb);
}
