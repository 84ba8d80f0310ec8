// SPDX-License-Identifier: Apache-2.0
#include "support/std_pool.hpp"

#include "tasks/uts/uts.hpp"

namespace {

class std_pool_uts {
public:
  std_pool_uts(const bench::options& o, bench::uts_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    problem_.with_tree([this](const auto& tree) { pool_.run([this, &tree] { visit(tree, tree.root()); }); });
  }

private:
  template <class Tree>
  void visit(const Tree& tree, const typename Tree::node& n) {
    const std::uint32_t children = problem_.count(tree, n);
    for (std::uint32_t i = 0; i < children; ++i) {
      pool_.spawn([this, &tree, child = tree.child(n, i)] { visit(tree, child); });
    }
  }

  bench::std_pool pool_;
  bench::uts_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::uts_problem, std_pool_uts>(argc, argv, "uts", "std_pool");
}
