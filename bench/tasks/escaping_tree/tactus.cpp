// SPDX-License-Identifier: Apache-2.0
#include "support/tactus_batched.hpp"
#include "support/tactus_pool.hpp"
#include "tasks/escaping_tree/escaping_tree.hpp"

namespace ts = tactus;

namespace {

using bench::tasks;

class tactus_tree {
public:
  tactus_tree(const bench::options& o, bench::tree_problem& p) : pool_(o), tasks_(bench::tasks_of(o)), problem_(p) {}
  void pass() {
    pool_.run([this] {
      ts::finish([this] { tasks_ == tasks::batched ? visit<tasks::batched>(0) : visit<tasks::single>(0); });
    });
  }

private:
  template <tasks Kind>
  void visit(std::uint64_t i) {
    problem_.set(i);
    for (const std::uint64_t child : {2 * i + 1, 2 * i + 2}) {
      if (problem_.has(child)) bench::spawn<Kind>([this, child] { visit<Kind>(child); });
    }
  }

  bench::tactus_pool pool_;
  tasks tasks_;
  bench::tree_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::tree_problem, tactus_tree>(argc, argv, "escaping_tree", "tactus");
}
