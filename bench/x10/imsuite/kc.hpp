// SPDX-License-Identifier: Apache-2.0
// KC, k-committee: the nodes form committees of at most k members, each around a leader less than k hops away. The
// kernel with the most atomic blocks between two barriers.
//
// Nothing depends on the order of mail, so every form gives the same committees. At the published input (512 nodes,
// k = 3): 9,216 advances and 107,182 atomic blocks, as in figure 14.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class kc_state {
public:
  static constexpr std::uint32_t k_nobody = UINT32_MAX;
  static constexpr std::int64_t k_no_value = std::numeric_limits<std::int64_t>::max();

  /// A node without a committee and its id.
  struct candidate {
    std::uint32_t from = k_nobody;
    std::int64_t value = k_no_value;
  };

  struct invitation {
    std::uint32_t from = k_nobody;
    std::uint32_t to = k_nobody;
    std::int64_t leader_value = k_no_value;
  };

  struct node {
    std::int64_t value = 0;
    std::uint32_t leader = 0;
    std::uint32_t committee = k_nobody;  ///< index of the leader that it follows
    candidate least;                     ///< the least candidate heard of in this poll
    std::vector<candidate> heard;
    invitation accepted;
    std::vector<invitation> box;
    std::vector<invitation> arriving;
  };

  explicit kc_state(kc_input given, std::uint64_t load_of_task = 0);
  void reset();

  const kc_input input;
  const std::uint64_t load;
  std::vector<node> nodes;
};

template <class Engine>
void run_kc(Engine& engine, kc_state& state) {
  const std::size_t n = state.nodes.size();
  auto& nodes = state.nodes;
  const auto& neighbours = state.input.g.neighbours;
  const std::uint64_t load = state.load;

  const auto poll = [&](std::size_t i) {
    kc_state::node& me = nodes[i];
    me.least = me.committee == kc_state::k_nobody ? kc_state::candidate{static_cast<std::uint32_t>(i), me.value}
                                                  : kc_state::candidate{};
    burn(load);
  };
  const auto tell = [&](std::size_t i) {
    for (const std::uint32_t j : neighbours[i]) engine.atomic([&] { nodes[j].heard.push_back(nodes[i].least); });
  };
  const auto listen = [&](std::size_t i) {
    kc_state::node& me = nodes[i];
    for (const kc_state::candidate& other : me.heard) {
      if (other.value < me.least.value) me.least = other;
    }
    me.heard.clear();
    burn(load);
  };
  const auto follow = [&](std::size_t i) {
    kc_state::node& me = nodes[i];
    if (me.least.value < nodes[me.leader].value) me.leader = me.least.from;
    burn(load);
  };
  const auto invite = [&](std::size_t i) {
    kc_state::node& me = nodes[i];
    if (me.leader == i) me.box.push_back({static_cast<std::uint32_t>(i), me.least.from, me.value});
    burn(load);
  };
  const auto forward = [&](std::size_t i) {
    for (const kc_state::invitation& letter : nodes[i].box) {
      for (const std::uint32_t j : neighbours[i]) engine.atomic([&] { nodes[j].arriving.push_back(letter); });
    }
    nodes[i].box.clear();
  };
  const auto sort_out = [&](std::size_t i) {
    kc_state::node& me = nodes[i];
    for (const kc_state::invitation& letter : me.arriving) {
      const auto same = [&letter](const kc_state::invitation& other) {
        return other.from == letter.from && other.to == letter.to;
      };
      if (std::ranges::none_of(me.box, same)) me.box.push_back(letter);
    }
    me.arriving.clear();
  };
  const auto accept = [&](std::size_t i) {
    kc_state::node& me = nodes[i];
    if (!me.box.empty()) {
      me.accepted = {};
      std::erase_if(me.box, [&me, i](const kc_state::invitation& letter) {
        if (letter.to != i) return false;
        if (letter.leader_value < me.accepted.leader_value) me.accepted = letter;
        return true;
      });
    }
    burn(load);
  };
  const auto join = [&](std::size_t i) {
    if (nodes[i].accepted.to == i) nodes[i].committee = nodes[i].accepted.from;
    burn(load);
  };
  // The box stays as it is: letters that are still on their way go on in the next turn, as in the published program.
  const auto clear = [&](std::size_t i) {
    nodes[i].least = {};
    nodes[i].accepted = {};
    nodes[i].heard.clear();
    burn(load);
  };
  const auto stay_alone = [&](std::size_t i) {
    if (nodes[i].committee == kc_state::k_nobody) nodes[i].committee = static_cast<std::uint32_t>(i);
    burn(load);
  };

  const std::uint32_t k = state.input.k;
  for (std::uint32_t turn = 0; turn < k; ++turn) {
    engine.each(n, poll);
    for (std::uint32_t hop = 1; hop < k; ++hop) engine.round(n, hint::lazy, tell, listen);
    engine.each(n, follow);
    engine.each(n, invite);
    for (std::uint32_t hop = 1; hop < k; ++hop) engine.round(n, hint::lazy, forward, sort_out, accept);
    engine.each(n, join);
    engine.each(n, clear);
  }
  engine.each(n, stay_alone);
}

/// No committee has more than k members (the published check), and each node is in the committee that following every
/// invitation by itself through the graph says.
void verify_kc(const kc_state& state);

}  // namespace bench::imsuite
