// SPDX-License-Identifier: Apache-2.0
// MIS, maximal independent set after Luby: in each round the nodes whose random value is below those of all
// neighbours join the set and leave the graph together with their neighbours.
//
// The draws belong to the nodes and deletions are taken as sets, so all forms give the same set. With the generator of
// draws.hpp the published input (512 nodes) takes 4 rounds: 6,144 advances and 44,320 atomic blocks, as in figure 14.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "x10/imsuite/draws.hpp"
#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class mis_state {
public:
  struct node {
    draws random{0};
    std::vector<std::uint32_t> neighbours;  ///< those that are left
    double value = 0;
    std::vector<double> heard;
    std::vector<std::uint32_t> to_delete;
    bool in_set = false;
    bool marked = false;  ///< in the set or next to a member
  };

  explicit mis_state(mis_input given, std::uint64_t load_of_task = 0);
  void reset();

  const mis_input input;
  const std::uint64_t load;
  std::vector<node> nodes;
};

template <class Engine>
void run_mis(Engine& engine, mis_state& state) {
  const std::size_t n = state.nodes.size();
  auto& nodes = state.nodes;
  const std::uint64_t load = state.load;

  const auto draw = [&](std::size_t i) {
    mis_state::node& me = nodes[i];
    me.value = me.random.fraction();
    for (const std::uint32_t j : me.neighbours) engine.atomic([&] { nodes[j].heard.push_back(me.value); });
  };
  // Reads the neighbour lists of others, which no task changes before the next barrier. No neighbour of a winner is
  // another winner, so only the winner itself writes its own marks; the others are set in atomic blocks.
  const auto win = [&](std::size_t i) {
    mis_state::node& me = nodes[i];
    double least = std::numeric_limits<double>::infinity();
    for (const double other : me.heard) least = std::min(least, other);
    if (!(me.value < least) || me.neighbours.empty()) return;
    const auto remove = [&](std::uint32_t at, std::uint32_t neighbour) {
      engine.atomic([&] { nodes[at].to_delete.push_back(neighbour); });
    };
    const auto self = static_cast<std::uint32_t>(i);
    me.in_set = true;
    me.marked = true;
    for (const std::uint32_t k : me.neighbours) {
      engine.atomic([&] { nodes[k].marked = true; });
      remove(k, self);
      for (const std::uint32_t l : nodes[k].neighbours) {
        remove(l, k);
        remove(k, l);
      }
      remove(self, k);
    }
  };
  const auto shrink = [&](std::size_t i) {
    mis_state::node& me = nodes[i];
    for (const std::uint32_t k : me.to_delete) {
      if (me.neighbours.empty()) break;
      std::erase(me.neighbours, k);
    }
  };
  const auto clear = [&](std::size_t i) {
    nodes[i].to_delete.clear();
    nodes[i].heard.clear();
    burn(load);
  };

  do {
    engine.round(n, hint::eager, draw, win, shrink, clear);
  } while (!std::ranges::all_of(nodes, [](const mis_state::node& v) { return v.neighbours.empty(); }));
  engine.each(n, [&](std::size_t i) {
    if (!nodes[i].marked) nodes[i].in_set = true;
    burn(load);
  });
}

/// The set is independent and maximal.
void verify_mis(const mis_state& state);

}  // namespace bench::imsuite
