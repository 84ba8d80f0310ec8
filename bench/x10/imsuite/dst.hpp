// SPDX-License-Identifier: Apache-2.0
// DST, breadth-first tree in phases: the root announces a phase down the tree, the nodes of the last level invite their
// neighbours, who take the first that asks as parent, and echoes go back to the root.
//
// The shape of the tree depends on the order of mail, its levels do not. At the published input (512 nodes): 5,120
// advances and 14,694 atomic blocks, as in figure 14; both follow from the levels alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class dst_state {
public:
  static constexpr std::uint32_t k_nobody = UINT32_MAX;
  static constexpr std::int32_t k_undiscovered = -1;

  enum class kind : std::uint8_t { join, ack, nack };
  struct message {
    std::uint32_t from = 0;
    kind what = kind::join;
  };

  struct node {
    std::uint32_t parent = k_nobody;  ///< the root is its own
    /// The phase before which the node was found, its level in the tree. Atomic because in the joining step a node
    /// looks at its own while neighbours set it; all of them set the same number, which is never the one looked for.
    std::atomic<std::int32_t> discovered{k_undiscovered};
    std::int32_t phase = 0;
    bool started = false;
    bool passed_on = false;
    std::int32_t phase_arriving = 0;
    bool start_arriving = false;
    bool found = false;  ///< joined the tree in this phase
    std::vector<std::uint32_t> children;
    std::vector<std::uint32_t> talked;  ///< neighbours that need no invitation
    std::vector<message> mail;
    std::vector<message> arriving;
  };

  explicit dst_state(dst_input given, std::uint64_t load_of_task = 0);
  void reset();

  const dst_input input;
  const std::uint64_t load;
  std::vector<node> nodes;
};

template <class Engine>
void run_dst(Engine& engine, dst_state& state) {
  const std::size_t n = state.nodes.size();
  auto& nodes = state.nodes;
  const auto& neighbours = state.input.g.neighbours;
  const std::uint64_t load = state.load;
  // relaxed, here and below: barriers order the steps; within one step see dst_state::node::discovered
  const auto level = [&](std::size_t i) { return nodes[i].discovered.load(std::memory_order_relaxed); };
  const auto answer = [&](std::size_t i, std::uint32_t to, dst_state::kind what) {
    engine.atomic([&] { nodes[to].arriving.push_back({static_cast<std::uint32_t>(i), what}); });
  };

  std::int32_t phase = 0;
  // Down the tree: each node has one parent, so what arrives has one writer.
  const auto pass_on = [&](std::size_t i) {
    dst_state::node& me = nodes[i];
    if (!me.started || me.passed_on) return;
    me.passed_on = true;
    for (const std::uint32_t c : me.children) {
      nodes[c].start_arriving = true;
      nodes[c].phase_arriving = me.phase;
    }
  };
  const auto take = [&](std::size_t i) {
    dst_state::node& me = nodes[i];
    if (!me.passed_on && me.start_arriving) {
      me.started = true;
      me.phase = me.phase_arriving;
      me.start_arriving = false;
    }
    burn(load);
  };
  const auto invite = [&](std::size_t i) {
    dst_state::node& me = nodes[i];
    if (level(i) == me.phase) {
      for (const std::uint32_t j : neighbours[i]) {
        if (std::ranges::find(me.talked, j) != me.talked.end()) continue;
        me.talked.push_back(j);
        engine.atomic([&] {
          nodes[j].mail.push_back({static_cast<std::uint32_t>(i), dst_state::kind::join});
          if (nodes[j].parent == dst_state::k_nobody)
            nodes[j].discovered.store(me.phase + 1, std::memory_order_relaxed);
        });
      }
    }
    burn(load);
  };
  const auto choose_parent = [&](std::size_t i) {
    dst_state::node& me = nodes[i];
    for (const dst_state::message& m : me.mail) {
      me.talked.push_back(m.from);
      if (me.parent != dst_state::k_nobody) {
        answer(i, m.from, dst_state::kind::nack);
        continue;
      }
      answer(i, m.from, dst_state::kind::ack);
      me.parent = m.from;
      engine.atomic([&] { nodes[m.from].children.push_back(static_cast<std::uint32_t>(i)); });
      me.found = true;
    }
  };
  const auto collect = [&](std::size_t i) {
    dst_state::node& me = nodes[i];
    me.mail.swap(me.arriving);
    me.arriving.clear();
    burn(load);
  };
  const auto reset = [&](std::size_t i) {
    dst_state::node& me = nodes[i];
    me.mail.clear();
    me.started = false;
    me.passed_on = false;
    me.found = false;
    burn(load);
  };

  for (;; ++phase) {
    dst_state::node& root = nodes[state.input.root];
    root.phase = phase;
    root.started = true;
    for (std::int32_t hop = 0; hop < phase; ++hop) engine.round(n, hint::eager, pass_on, take);
    engine.each(n, invite);
    engine.round(n, hint::eager, choose_parent, collect);
    if (std::ranges::none_of(nodes, &dst_state::node::found)) break;
    for (std::int32_t from = phase; from > 0; --from) {
      engine.each(n, [&, from](std::size_t i) {
        if (level(i) == from) answer(i, nodes[i].parent, dst_state::kind::ack);
        burn(load);
      });
    }
    engine.each(n, reset);
  }
}

/// Every node that the root reaches is the child of exactly one node (the published check; the root counts once), which
/// is its parent, a neighbour and one hop nearer to the root, and was found in the phase of its distance.
void verify_dst(const dst_state& state);

}  // namespace bench::imsuite
