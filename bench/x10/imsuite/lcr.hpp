// SPDX-License-Identifier: Apache-2.0
// LCR: leader election in a one-way ring, after Le Lann, Chang and Roberts. In each of n rounds every node passes
// on the largest id it has seen; the node whose own id comes back leads. One advance in a round, no atomic block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/engine.hpp"
#include "x10/imsuite/input.hpp"

namespace bench::imsuite {

class lcr_state {
public:
  struct node {
    std::int64_t id = 0;
    std::int64_t send = 0;
    std::int64_t received = 0;  ///< written by the left neighbour only
    std::int64_t leader_id = 0;
    bool leads = false;
    std::uint32_t leader = 0;  ///< the answer: index of the leader
  };

  explicit lcr_state(lcr_input in, std::uint64_t load_iterations = 0);
  void reset();

  [[nodiscard]] std::size_t right_of(std::size_t i) const { return i + 1 == nodes.size() ? 0 : i + 1; }

  const lcr_input input;
  const std::uint64_t load;
  std::vector<node> nodes;
  std::uint32_t leader = 0;  ///< written by the leader only
};

template <class Engine>
void run_lcr(Engine& engine, lcr_state& s) {
  const std::size_t n = s.nodes.size();
  const auto pass_on = [&s](std::size_t i) { s.nodes[s.right_of(i)].received = s.nodes[i].send; };
  const auto compare = [&s](std::size_t i) {
    auto& node = s.nodes[i];
    if (node.received > node.leader_id) {
      node.send = node.leader_id = node.received;
    } else if (node.received == node.id) {
      node.leads = true;
      node.leader_id = node.id;
    }
    burn(s.load);
  };
  for (std::size_t round = 0; round < n; ++round) engine.round(n, hint::lazy, pass_on, compare);
  engine.each(n, [&s](std::size_t i) {
    if (s.nodes[i].leads) s.leader = static_cast<std::uint32_t>(i);
  });
  for (auto& node : s.nodes) node.leader = s.leader;
}

/// Every node names the one with the largest id, which alone believes to lead.
void verify_lcr(const lcr_state& s);

}  // namespace bench::imsuite
