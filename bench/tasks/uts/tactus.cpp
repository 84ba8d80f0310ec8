// SPDX-License-Identifier: Apache-2.0
// Escaping asyncs: nobody but the root waits.
#include "support/tactus_pool.hpp"
#include "tasks/uts/uts.hpp"

namespace ts = tactus;

namespace {

class tactus_uts {
public:
  tactus_uts(const bench::options& o, bench::uts_problem& p) : pool_(o), problem_(p) {}
  void pass() {
    problem_.with_tree([this](const auto& tree) {
      pool_.run([this, &tree] { ts::finish([this, &tree] { visit(tree, tree.root()); }); });
    });
  }

private:
  template <class Tree>
  void visit(const Tree& tree, const typename Tree::node& n) {
    const std::uint32_t children = problem_.count(tree, n);
    for (std::uint32_t i = 0; i < children; ++i) {
      ts::async([this, &tree, child = tree.child(n, i)] { visit(tree, child); });
    }
  }

  bench::tactus_pool pool_;
  bench::uts_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<bench::uts_problem, tactus_uts>(argc, argv, "uts", "tactus"); }
