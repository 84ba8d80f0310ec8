// SPDX-License-Identifier: Apache-2.0
#include "escaping_tree/escaping_tree.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_tree {
public:
  tactus_tree(const bench::options& o, bench::tree_problem& p) : pool_(o), problem_(p) {}
  void pass() {
    pool_.run([this] { ts::finish([this] { visit(0); }); });
  }

private:
  void visit(std::uint64_t i) {
    problem_.set(i);
    for (const std::uint64_t child : {2 * i + 1, 2 * i + 2}) {
      if (problem_.has(child)) ts::async([this, child] { visit(child); });
    }
  }

  bench::tactus_pool pool_;
  bench::tree_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::tree_problem, tactus_tree>(argc, argv, "escaping_tree", "tactus");
}
