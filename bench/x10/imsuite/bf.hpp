// SPDX-License-Identifier: Apache-2.0
// BF: breadth-first search, Bellman-Ford style. Nodes tell their neighbours by mail how far from the root they would
// be; as many rounds as the root's eccentricity. One advance in a round, an atomic block for each mail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class bf_state {
public:
  struct node {
    std::uint32_t distance = k_unreached;  ///< the answer: hops from the root
    std::vector<std::uint32_t> arriving;   ///< appended to by neighbours, in atomic blocks
    std::vector<std::uint32_t> current;    ///< what had arrived when the round began
  };

  explicit bf_state(bf_input in, std::uint64_t load_iterations = 0);
  void reset();

  const bf_input input;
  const std::uint64_t load;
  const std::uint32_t rounds;
  std::vector<node> nodes;
};

template <class Engine>
void run_bf(Engine& engine, bf_state& s) {
  const std::size_t n = s.nodes.size();
  const auto tell_neighbours = [&engine, &s](std::size_t i, std::uint32_t distance) {
    for (const std::uint32_t j : s.input.g.neighbours[i])
      engine.atomic([&s, j, distance] { s.nodes[j].arriving.push_back(distance); });
  };
  const auto collect = [&s](std::size_t i) { s.nodes[i].current.swap(s.nodes[i].arriving); };
  const auto relax = [&s, &tell_neighbours](std::size_t i) {
    auto& node = s.nodes[i];
    const auto least = std::ranges::min_element(node.current);
    if (least != node.current.end() && *least < node.distance) {
      node.distance = *least;
      tell_neighbours(i, node.distance + 1);
    }
    node.current.clear();
    burn(s.load);
  };
  tell_neighbours(s.input.root, 1);
  for (std::uint32_t round = 0; round < s.rounds; ++round) engine.round(n, hint::eager, collect, relax);
}

/// The distances are those of a serial breadth-first search.
void verify_bf(const bf_state& s);

}  // namespace bench::imsuite
