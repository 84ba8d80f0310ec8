// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/task_group.h>

#include "placement/uts_places/uts_places.hpp"
#include "support/onetbb_pool.hpp"

namespace {

class onetbb {
public:
  onetbb(const bench::options& o, bench::uts_places_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    problem_.with_tree([this](const auto& tree) {
      pool_.run([this, &tree] {
        oneapi::tbb::task_group group;
        search(group, tree, {tree.root()});
        group.wait();
      });
    });
  }

private:
  template <class Tree>
  void search(oneapi::tbb::task_group& group, const Tree& tree, bench::uts_nodes<Tree> known) {
    const auto spawn = [this, &group, &tree](bench::uts_nodes<Tree> half) {
      // What runs is const to oneTBB, and is run once.
      group.run([this, &group, &tree, half = std::make_shared<bench::uts_nodes<Tree>>(std::move(half))] {
        search(group, tree, std::move(*half));
      });
    };
    problem_.add(search_and_share(tree, std::move(known), problem_.grain(), spawn));
  }

  bench::onetbb_pool pool_;
  bench::uts_places_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::uts_places_problem, onetbb>(argc, argv, "uts_places", bench::k_onetbb);
}
