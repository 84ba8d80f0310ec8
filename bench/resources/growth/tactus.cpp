// SPDX-License-Identifier: Apache-2.0
#include "resources/growth/growth.hpp"
#include "support/tactus_pool.hpp"

#include <algorithm>

namespace ts = tactus;

namespace {

class tactus_growth {
public:
  tactus_growth(const bench::options& o, bench::growth_problem& p) : pool_(o), problem_(p), body_(body_of(p.shape())) {}

  void pass() {
    pool_.run([this] { ts::finish([this] { (this->*body_)(); }); });
  }

private:
  using body = void (tactus_growth::*)();

  static body body_of(const std::string& shape) {
    if (shape == "flat") return &tactus_growth::flat;
    if (shape == "chain") return &tactus_growth::chain;
    if (shape == "binary") return &tactus_growth::binary;
    if (shape == "recursion") return &tactus_growth::recursion;
    if (shape == "trees") return &tactus_growth::trees;
    throw std::invalid_argument("growth: --shape is flat, chain, binary, recursion or trees, not '" + shape + "'");
  }

  void count() { problem_.count(static_cast<std::size_t>(ts::worker_id())); }

  void flat() {
    for (std::uint64_t i = 0; i < problem_.size(); ++i) ts::async([this] { count(); });
  }

  void chain() { spawn_link(problem_.size()); }
  void spawn_link(std::uint64_t left) {
    if (left == 0) return;
    ts::async([this, left] {
      count();
      spawn_link(left - 1);
    });
  }

  void binary() { spawn_node(0, problem_.size()); }
  void spawn_node(std::uint64_t node, std::uint64_t nodes) {
    if (node >= nodes) return;
    ts::async([this, node, nodes] {
      count();
      spawn_node(2 * node + 1, nodes);
      spawn_node(2 * node + 2, nodes);
    });
  }

  void recursion() { spawn_share(problem_.size(), 1); }
  void spawn_share(std::uint64_t tasks, std::uint64_t seed) {
    if (tasks == 0) return;
    ts::async([this, tasks, seed] {
      count();
      std::uint64_t child_seed = 4 * seed;
      for (const std::uint64_t part : bench::growth_problem::divide(tasks - 1, seed)) spawn_share(part, ++child_seed);
    });
  }

  void trees() {
    for (std::uint64_t left = problem_.size(); left > 0;) {
      const std::uint64_t nodes = std::min(left, bench::growth_problem::k_tree_size);
      spawn_node(0, nodes);
      left -= nodes;
    }
  }

  bench::tactus_pool pool_;
  bench::growth_problem& problem_;
  body body_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::growth_problem, tactus_growth>(argc, argv, "growth", "tactus");
}
