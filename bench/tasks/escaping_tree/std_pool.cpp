// SPDX-License-Identifier: Apache-2.0
#include "support/std_pool.hpp"

#include "tasks/escaping_tree/escaping_tree.hpp"

namespace {

class std_pool_tree {
public:
  std_pool_tree(const bench::options& o, bench::tree_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] { visit(0); });
  }

private:
  void visit(std::uint64_t i) {
    problem_.set(i);
    for (const std::uint64_t child : {2 * i + 1, 2 * i + 2}) {
      if (problem_.has(child)) pool_.spawn([this, child] { visit(child); });
    }
  }

  bench::std_pool pool_;
  bench::tree_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::tree_problem, std_pool_tree>(argc, argv, "escaping_tree", "std_pool");
}
