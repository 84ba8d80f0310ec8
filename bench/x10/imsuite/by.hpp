// SPDX-License-Identifier: Apache-2.0
// BY, byzantine consensus: all nodes flood their votes, traitors tell each neighbour something else, and every node
// counts what it heard. The kernel with the most mail.
//
// A node keeps the first message from each source, so what it hears of a traitor depends on the order of mail; how much
// mail there is does not. At the published input (128 nodes, 15 traitors): 4,352 advances and 537,064 atomic
// blocks, as in figure 14.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/draws.hpp"
#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class by_state {
public:
  struct message {
    std::uint32_t source = 0;
    std::uint8_t vote = 0;
  };

  struct node {
    bool traitor = false;
    std::uint8_t vote = 0;
    std::vector<std::uint8_t> lies;   ///< of a traitor: the vote that it sends to each neighbour
    std::vector<std::uint8_t> heard;  ///< sources that have been heard in this iteration, itself included
    std::size_t ones = 0;             ///< votes received in this iteration
    std::size_t zeros = 0;
    std::vector<message> box;  ///< to be forwarded
    std::vector<message> arriving;
    bool permanent = false;
    std::uint8_t decision = 0;
  };

  /// The graph is connected, else std::invalid_argument.
  explicit by_state(by_input given, std::uint64_t load_of_task = 0);
  void reset();

  [[nodiscard]] std::size_t iterations() const { return nodes.size() / 8 + 1; }
  /// Votes needed to be followed; the global coin is tossed once and for all.
  [[nodiscard]] std::size_t threshold() const { return (coin ? 3 * nodes.size() / 4 : 5 * nodes.size() / 8) + 1; }
  /// More than so many equal votes make a decision.
  [[nodiscard]] std::size_t certainty() const { return 7 * nodes.size() / 8; }

  const by_input input;
  const std::uint64_t load;
  const std::uint32_t rounds;  ///< of flooding in an iteration: the radius of the graph
  const bool coin;
  std::vector<node> nodes;
};

template <class Engine>
void run_by(Engine& engine, by_state& state) {
  const std::size_t n = state.nodes.size();
  auto& nodes = state.nodes;
  const auto& neighbours = state.input.g.neighbours;
  const std::uint64_t load = state.load;
  const auto send = [&](std::uint32_t to, by_state::message m) {
    engine.atomic([&] { nodes[to].arriving.push_back(m); });
  };

  const auto tell = [&](std::size_t i) {
    const by_state::node& me = nodes[i];
    for (const by_state::message& m : me.box) {
      for (const std::uint32_t j : neighbours[i]) send(j, m);
    }
    if (!me.box.empty()) return;
    for (std::size_t k = 0; k < neighbours[i].size(); ++k)
      send(neighbours[i][k], {static_cast<std::uint32_t>(i), me.traitor ? me.lies[k] : me.vote});
  };
  const auto listen = [&](std::size_t i) {
    by_state::node& me = nodes[i];
    me.box.clear();
    for (const by_state::message& m : me.arriving) {
      if (me.heard[m.source]) continue;
      me.heard[m.source] = 1;
      ++(m.vote == 1 ? me.ones : me.zeros);
      me.box.push_back(m);
    }
    me.arriving.clear();
    burn(load);
  };
  const auto decide = [&](std::size_t i) {
    by_state::node& me = nodes[i];
    ++(me.vote == 1 ? me.ones : me.zeros);
    const std::uint8_t majority = me.ones > me.zeros ? 1 : 0;
    const std::size_t tally = majority == 1 ? me.ones : me.zeros;
    me.vote = tally > state.threshold() ? majority : 0;
    if (tally > state.certainty() && !me.permanent) {
      me.decision = majority;
      me.permanent = true;
    }
    me.ones = 0;
    me.zeros = 0;
    me.heard.assign(n, 0);
    me.heard[i] = 1;
    me.box.clear();
    burn(load);
  };

  for (std::size_t iteration = 0; iteration < state.iterations(); ++iteration) {
    for (std::uint32_t round = 0; round < state.rounds; ++round) engine.round(n, hint::lazy, tell, listen);
    engine.each(n, decide);
  }
}

/// Every loyal node decided what it may decide: the votes are counted anew over distances in the graph, with an
/// interval where a traitor's vote depends on which of its messages came first. And all loyal nodes decided alike (the
/// published check), unless the count says that on this graph some must differ.
void verify_by(const by_state& state);

}  // namespace bench::imsuite
