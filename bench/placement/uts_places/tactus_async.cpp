// SPDX-License-Identifier: Apache-2.0
// One place with as many workers: what stealing within a place is good for.
#include "placement/uts_places/uts_places.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_async {
public:
  tactus_async(const bench::options& o, bench::uts_places_problem& p) : pool_(o), problem_(p) {}
  void pass() {
    problem_.with_tree([this](const auto& tree) {
      pool_.run([this, &tree] { ts::finish([this, &tree] { search(tree, {tree.root()}); }); });
    });
  }

private:
  template <class Tree>
  void search(const Tree& tree, bench::uts_nodes<Tree> known) {
    problem_.add(search_and_share(tree, std::move(known), problem_.grain(), [this, &tree](bench::uts_nodes<Tree> half) {
      ts::async([this, &tree, half = std::move(half)]() mutable { search(tree, std::move(half)); });
    }));
  }

  bench::tactus_pool pool_;
  bench::uts_places_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::uts_places_problem, tactus_async>(argc, argv, "uts_places", "tactus_async");
}
