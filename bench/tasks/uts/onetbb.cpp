// SPDX-License-Identifier: Apache-2.0
// One task_group for the whole tree is how oneTBB says an escaping task.
#include <oneapi/tbb/task_group.h>

#include "support/onetbb_pool.hpp"
#include "tasks/uts/uts.hpp"

namespace {

class onetbb {
public:
  onetbb(const bench::options& o, bench::uts_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    problem_.with_tree([this](const auto& tree) {
      pool_.run([this, &tree] {
        oneapi::tbb::task_group group;
        visit(group, tree, tree.root());
        group.wait();
      });
    });
  }

private:
  template <class Tree>
  void visit(oneapi::tbb::task_group& group, const Tree& tree, const typename Tree::node& n) {
    const std::uint32_t children = problem_.count(tree, n);
    for (std::uint32_t i = 0; i < children; ++i) {
      group.run([this, &group, &tree, child = tree.child(n, i)] { visit(group, tree, child); });
    }
  }

  bench::onetbb_pool pool_;
  bench::uts_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::uts_problem, onetbb>(argc, argv, "uts", bench::k_onetbb);
}
