// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/dst.hpp"

#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {

dst_state::dst_state(dst_input given, std::uint64_t load_of_task) : input(std::move(given)), load(load_of_task) {
  reset();
}

void dst_state::reset() {
  nodes = std::vector<node>(input.g.n);
  nodes[input.root].parent = input.root;
  nodes[input.root].discovered.store(0, std::memory_order_relaxed);  // relaxed: no task yet
}

void verify_dst(const dst_state& state) {
  const auto wrong = [](std::size_t i, const std::string& what) {
    return wrong_answer("DST: node " + std::to_string(i) + " " + what);
  };
  const std::vector<std::uint32_t> distance = distances(state.input.g, state.input.root);
  const std::size_t n = state.nodes.size();
  std::vector<std::uint32_t> times_child(n);
  ++times_child[state.input.root];
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::uint32_t c : state.nodes[i].children) {
      if (c >= n || state.nodes[c].parent != i) throw wrong(i, "has a child with another parent");
      ++times_child[c];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const dst_state::node& v = state.nodes[i];
    const bool reached = distance[i] != k_unreached;
    if (times_child[i] != (reached ? 1 : 0)) {
      throw wrong(i, "is a child of " + std::to_string(times_child[i]) + " nodes");
    }
    const std::int32_t level = reached ? static_cast<std::int32_t>(distance[i]) : dst_state::k_undiscovered;
    if (v.discovered.load(std::memory_order_relaxed) != level) {  // relaxed: the run is over
      throw wrong(i, "was not found in the phase of its distance");
    }
    if (!reached || i == state.input.root) continue;
    if (!state.input.g.adjacent(i, v.parent) || distance[v.parent] + 1 != distance[i])
      throw wrong(i, "has a parent that is no neighbour one hop nearer to the root");
  }
}

}  // namespace bench::imsuite
