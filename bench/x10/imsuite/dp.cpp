// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/dp.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {

dp_state::dp_state(dp_input given, std::uint64_t load_of_task) : input(std::move(given)), load(load_of_task) {
  if (input.g.n < 2 || !connected(input.g))
    throw std::invalid_argument("DP: needs a connected graph of at least two nodes");
  reset();
}

void dp_state::reset() {
  nodes.assign(input.g.n, node{});
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].best = input.id[i];
}

void consider(dp_state::node& me, std::int64_t pulse) {
  const auto is_end = [](const dp_state::message& m) { return m.distance == dp_state::k_done; };
  if (std::ranges::any_of(me.mail, is_end)) {
    me.ending = true;
    return;
  }
  std::int64_t best = std::numeric_limits<std::int64_t>::min();
  for (const dp_state::message& m : me.mail) best = std::max(best, m.best);
  std::erase_if(me.mail, [best](const dp_state::message& m) { return m.best < best; });

  const std::int64_t before = me.distance;
  if (best > me.best) {
    me.best = best;
    me.own = false;
    me.distance = pulse;
  }
  if (!me.own) return;
  if (best < me.best) {
    me.still = 1;
    return;
  }
  std::int64_t farthest = before;
  for (const dp_state::message& m : me.mail) farthest = std::max(farthest, m.distance);
  if (farthest > me.distance) {
    me.distance = farthest;
    me.still = 0;
  } else if (++me.still >= 2) {
    me.ending = true;
  }
}

void announce(dp_state& state) {
  std::vector<std::uint32_t> to_visit;  // a stack of our own: recursion would be as deep as the graph is large
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    if (state.nodes[i].still < 2) continue;
    const auto leader = static_cast<std::uint32_t>(i);
    to_visit.push_back(leader);
    while (!to_visit.empty()) {
      const std::uint32_t at = to_visit.back();
      to_visit.pop_back();
      if (state.nodes[at].leader != dp_state::k_nobody) continue;
      state.nodes[at].leader = leader;
      const auto& neighbours = state.input.g.neighbours[at];
      to_visit.insert(to_visit.end(), neighbours.rbegin(), neighbours.rend());
    }
  }
}

void verify_dp(const dp_state& state) {
  const auto leader = static_cast<std::uint32_t>(std::ranges::max_element(state.input.id) - state.input.id.begin());
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    if (state.nodes[i].leader != leader) {
      throw wrong_answer("DP: node " + std::to_string(i) + " takes node " + std::to_string(state.nodes[i].leader) +
                         " for the leader, not node " + std::to_string(leader));
    }
  }
}

}  // namespace bench::imsuite
