// SPDX-License-Identifier: Apache-2.0
// DP, leader election in any connected graph after Peleg: the largest id spreads in pulses, and the node that it
// belongs to notices when its news has reached the end.
//
// Nothing depends on the order of mail. At the published input (512 nodes): 11 pulses, 16,896 advances and 102,772
// atomic blocks, as in figure 14.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class dp_state {
public:
  static constexpr std::uint32_t k_nobody = UINT32_MAX;
  static constexpr std::int64_t k_done = -1;  ///< as a distance: the sender has ended

  struct message {
    std::int64_t best = 0;
    std::int64_t distance = 0;
  };

  struct node {
    std::int64_t best = 0;      ///< the largest id heard of (Peleg's x)
    std::int64_t distance = 0;  ///< how far it has come (d)
    bool own = true;            ///< it is still the node's own (b)
    std::int64_t still = 0;     ///< pulses without news (c)
    bool complete = false;
    bool ending = false;
    std::int64_t farthest = 0;  ///< carried from the first step to the second
    std::uint32_t leader = k_nobody;
    std::vector<message> mail;  ///< kept from pulse to pulse, but for messages about smaller ids
  };

  /// The graph is connected and has at least two nodes, else std::invalid_argument.
  explicit dp_state(dp_input given, std::uint64_t load_of_task = 0);
  void reset();

  const dp_input input;
  const std::uint64_t load;
  std::vector<node> nodes;
};

/// The third step of a pulse: what a node makes of its mail.
void consider(dp_state::node& me, std::int64_t pulse);

/// Walks depth first from each node that found itself the leader. Serial, outside the rounds, as published.
void announce(dp_state& state);

template <class Engine>
void run_dp(Engine& engine, dp_state& state) {
  const std::size_t n = state.nodes.size();
  auto& nodes = state.nodes;
  const auto& neighbours = state.input.g.neighbours;
  const auto send = [&](std::size_t i, dp_state::message m) {
    for (const std::uint32_t j : neighbours[i]) engine.atomic([&] { nodes[j].mail.push_back(m); });
  };

  std::int64_t pulse = 0;
  const auto look = [&](std::size_t i) {
    dp_state::node& me = nodes[i];
    if (me.complete) return;
    me.farthest = me.distance;
    for (const dp_state::message& m : me.mail) me.farthest = std::max(me.farthest, m.distance);
  };
  const auto tell = [&](std::size_t i) {
    if (!nodes[i].complete) send(i, {nodes[i].best, nodes[i].farthest});
  };
  const auto think = [&](std::size_t i) {
    if (!nodes[i].complete) consider(nodes[i], pulse);
  };
  const auto end = [&](std::size_t i) {
    dp_state::node& me = nodes[i];
    if (!me.complete && me.ending) {
      me.complete = true;
      send(i, {me.best, dp_state::k_done});
    }
    burn(state.load);
  };

  do {
    ++pulse;
    engine.round(n, std::array{hint::eager, hint::lazy, hint::lazy}, look, tell, think, end);
  } while (!std::ranges::all_of(nodes, &dp_state::node::complete));
  announce(state);
}

/// Every node knows the node with the largest id as its leader.
void verify_dp(const dp_state& state);

}  // namespace bench::imsuite
