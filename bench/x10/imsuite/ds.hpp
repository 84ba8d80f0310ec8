// SPDX-License-Identifier: Apache-2.0
// DS, dominating set by the local randomised greedy algorithm of Jia, Rajaraman and Suel. The one kernel whose tasks
// live through the whole computation: a node leaves the clock as soon as it is covered.
//
// The draws belong to the nodes, so all forms give the same set. With the generator of draws.hpp the published input
// (128 nodes) takes the 5,232 advances and 599 atomic blocks of figure 14.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/draws.hpp"
#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class ds_state {
public:
  /// White: not covered; grey: next to a member; black: member.
  enum class colour : std::uint8_t { white, grey, black };

  struct node {
    /// Atomic because several new members may turn a common neighbour grey in one step, all writing the same.
    std::atomic<colour> shade{colour::white};
    draws random{0};
    std::vector<std::uint32_t> white;  ///< white neighbours, itself not included
    std::uint64_t uncovered = 0;       ///< white nodes among itself and its neighbours; 0: covered, the task ends
    std::uint64_t rounded = 0;         ///< uncovered, rounded down to a power of two
    bool active = false;               ///< nobody near could cover more
    std::uint64_t support = 0;         ///< active nodes among itself and its neighbours
    bool candidate = false;
    std::uint64_t candidates = 0;       ///< candidates among itself and its white neighbours
    bool joining = false;               ///< a candidate that covers enough
    std::vector<std::uint32_t> rivals;  ///< joining neighbours
    bool covered = false;
    bool member = false;
  };

  explicit ds_state(ds_input given, std::uint64_t load_of_task = 0);
  void reset();

  const ds_input input;
  const std::uint64_t load;
  std::vector<std::vector<std::uint32_t>> near;  ///< the nodes at distance 1 and 2, made once
  std::vector<node> nodes;
};

template <class Engine>
void run_ds(Engine& engine, ds_state& state) {
  const std::size_t n = state.nodes.size();
  auto& nodes = state.nodes;
  const auto& neighbours = state.input.g.neighbours;
  // relaxed, here and below: barriers order the steps; within one step see ds_state::node::shade
  const auto white = [&](std::size_t i) {
    return nodes[i].shade.load(std::memory_order_relaxed) == ds_state::colour::white;
  };

  const auto alive = [&](std::size_t i) { return nodes[i].uncovered != 0; };
  // A fast task is here while slow ones still are in the last step of the iteration before: that reads colours only.
  const auto round_down = [&](std::size_t i) { nodes[i].rounded = std::bit_floor(nodes[i].uncovered); };
  const auto compare = [&](std::size_t i) {
    nodes[i].active = std::ranges::none_of(
        state.near[i], [&](std::uint32_t j) { return white(j) && nodes[j].rounded > nodes[i].rounded; });
  };
  const auto count_active = [&](std::size_t i) {
    nodes[i].support = nodes[i].active ? 1 : 0;
    for (const std::uint32_t j : neighbours[i]) nodes[i].support += nodes[j].active ? 1U : 0U;
  };
  const auto draw = [&](std::size_t i) {
    ds_state::node& me = nodes[i];
    std::uint64_t most = me.support;
    for (const std::uint32_t j : me.white) most = std::max(most, nodes[j].support);
    me.candidate = me.active && me.random.fraction() <= 1.0 / static_cast<double>(most);
  };
  const auto count_candidates = [&](std::size_t i) {
    ds_state::node& me = nodes[i];
    me.candidates = me.candidate ? 1 : 0;
    for (const std::uint32_t j : me.white) me.candidates += nodes[j].candidate ? 1U : 0U;
  };
  const auto offer = [&](std::size_t i) {
    ds_state::node& me = nodes[i];
    std::uint64_t sum = me.candidates;
    for (const std::uint32_t j : me.white) sum += nodes[j].candidates;
    if (!me.candidate || sum > 3 * me.uncovered) return;
    for (const std::uint32_t j : neighbours[i])
      engine.atomic([&] { nodes[j].rivals.push_back(static_cast<std::uint32_t>(i)); });
    me.joining = true;
  };
  // Of two joining neighbours only one can have the largest index, so nobody else writes the record of a new member.
  const auto join = [&](std::size_t i) {
    ds_state::node& me = nodes[i];
    if (me.joining && std::ranges::all_of(me.rivals, [i](std::uint32_t j) { return j < i; })) {
      me.member = true;
      me.shade.store(ds_state::colour::black, std::memory_order_relaxed);
      for (const std::uint32_t j : neighbours[i]) {
        engine.atomic([&] { nodes[j].covered = true; });
        if (white(j)) nodes[j].shade.store(ds_state::colour::grey, std::memory_order_relaxed);
      }
      me.covered = true;
    }
    me.joining = false;
    me.rivals.clear();
  };
  const auto leave = [&](std::size_t i) {
    ds_state::node& me = nodes[i];
    if (!me.covered) return;
    me.uncovered = 0;
    me.covered = false;
    me.active = false;
  };
  // A node that is here with something uncovered is white itself, so what it counts is never 0: the last branch of the
  // specification, a node without a white one near it that joins the set, cannot be reached and is left out.
  const auto recount = [&](std::size_t i) {
    ds_state::node& me = nodes[i];
    if (me.uncovered != 0) {
      std::erase_if(me.white, [&](std::uint32_t j) { return !white(j); });
      me.uncovered = me.white.size() + 1;
    }
    burn(state.load);
  };

  engine.persistent(n, alive, hint::lazy, round_down, compare, count_active, draw, count_candidates, offer, join, leave,
                    recount);
}

/// The set is dominating and, as the published check asks, independent.
void verify_ds(const ds_state& state);

}  // namespace bench::imsuite
