// SPDX-License-Identifier: Apache-2.0
#include "tasks/escaping_tree/escaping_tree.hpp"

namespace {

[[gnu::noinline]] void visit(bench::tree_problem& p, std::uint64_t i) {
  p.set(i);
  if (p.has(2 * i + 1)) visit(p, 2 * i + 1);
  if (p.has(2 * i + 2)) visit(p, 2 * i + 2);
}

class serial {
public:
  serial(const bench::options& /*o*/, bench::tree_problem& p) : problem_(p) {}
  void pass() { visit(problem_, 0); }

private:
  bench::tree_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::tree_problem, serial>(argc, argv, "escaping_tree", "serial");
}
