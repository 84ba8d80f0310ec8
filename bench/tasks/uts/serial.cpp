// SPDX-License-Identifier: Apache-2.0
#include "tasks/uts/uts.hpp"

namespace {

class serial {
public:
  serial(const bench::options& /*o*/, bench::uts_problem& p) : problem_(p) {}
  void pass() {
    problem_.with_tree([this](const auto& tree) { visit(tree, tree.root()); });
  }

private:
  template <class Tree>
  [[gnu::noinline]] void visit(const Tree& tree, const typename Tree::node& n) {
    const std::uint32_t children = problem_.count(tree, n);
    for (std::uint32_t i = 0; i < children; ++i) visit(tree, tree.child(n, i));
  }

  bench::uts_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<bench::uts_problem, serial>(argc, argv, "uts", "serial"); }
