// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/kc.hpp"

#include <map>
#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {
namespace {

/// Each node's committee by another way: polls by distance, and every invitation followed through the graph by itself,
/// as the set of nodes that hold a copy.
class reckoning {
public:
  explicit reckoning(const kc_input& input)
      : input_(input), leader_(input.g.n), committee_(input.g.n, kc_state::k_nobody) {
    for (std::uint32_t i = 0; i < leader_.size(); ++i) leader_[i] = i;
    for (std::uint32_t turn = 0; turn < input_.k; ++turn) {
      send_invitations(least_in_reach());
      deliver();
    }
    for (std::uint32_t i = 0; i < committee_.size(); ++i) {
      if (committee_[i] == kc_state::k_nobody) committee_[i] = i;
    }
  }

  [[nodiscard]] const std::vector<std::uint32_t>& committee() const { return committee_; }

private:
  using holders = std::vector<bool>;
  using route = std::pair<std::uint32_t, std::uint32_t>;  ///< from, to

  /// For each node the one with the least id of those without a committee that are less than k hops away.
  [[nodiscard]] std::vector<std::uint32_t> least_in_reach() const {
    std::vector<std::uint32_t> least(input_.g.n, kc_state::k_nobody);
    for (std::uint32_t i = 0; i < least.size(); ++i) {
      const std::vector<std::uint32_t> distance = distances(input_.g, i);
      for (std::uint32_t j = 0; j < least.size(); ++j) {
        if (committee_[j] != kc_state::k_nobody || distance[j] >= input_.k) continue;
        if (least[i] == kc_state::k_nobody || input_.id[j] < input_.id[least[i]]) least[i] = j;
      }
    }
    return least;
  }

  void send_invitations(const std::vector<std::uint32_t>& least) {
    for (std::uint32_t i = 0; i < least.size(); ++i) {
      if (least[i] != kc_state::k_nobody && input_.id[least[i]] < input_.id[leader_[i]]) leader_[i] = least[i];
    }
    for (std::uint32_t i = 0; i < least.size(); ++i) {
      if (leader_[i] != i) continue;
      holders& copies = travelling_[{i, least[i]}];
      copies.resize(input_.g.n);
      copies[i] = true;
    }
  }

  void deliver() {
    std::vector<std::uint32_t> accepted(input_.g.n, kc_state::k_nobody);
    for (std::uint32_t hop = 1; hop < input_.k; ++hop) {
      std::vector<bool> anything(input_.g.n);
      std::vector<std::uint32_t> best(input_.g.n, kc_state::k_nobody);
      for (auto& [letter, copies] : travelling_) {
        const auto [from, to] = letter;
        holders arrived(input_.g.n);
        for (std::size_t i = 0; i < copies.size(); ++i) {
          if (!copies[i]) continue;
          for (const std::uint32_t j : input_.g.neighbours[i]) {
            arrived[j] = true;
            anything[j] = true;
          }
        }
        if (to != kc_state::k_nobody && arrived[to]) {
          arrived[to] = false;
          if (best[to] == kc_state::k_nobody || input_.id[from] < input_.id[best[to]]) best[to] = from;
        }
        copies = std::move(arrived);
      }
      // A later hop takes back what an earlier one offered, unless it brings nothing at all.
      for (std::size_t i = 0; i < accepted.size(); ++i) {
        if (anything[i]) accepted[i] = best[i];
      }
    }
    for (std::size_t i = 0; i < accepted.size(); ++i) {
      if (accepted[i] != kc_state::k_nobody) committee_[i] = accepted[i];
    }
  }

  const kc_input& input_;
  std::vector<std::uint32_t> leader_;
  std::vector<std::uint32_t> committee_;
  std::map<route, holders> travelling_;
};

}  // namespace

kc_state::kc_state(kc_input given, std::uint64_t load_of_task) : input(std::move(given)), load(load_of_task) {
  reset();
}

void kc_state::reset() {
  nodes.assign(input.g.n, node{});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].value = input.id[i];
    nodes[i].leader = static_cast<std::uint32_t>(i);
  }
}

void verify_kc(const kc_state& state) {
  std::vector<std::uint32_t> members(state.nodes.size());
  for (std::size_t i = 0; i < state.nodes.size(); ++i) {
    const std::uint32_t committee = state.nodes[i].committee;
    if (committee >= members.size()) throw wrong_answer("KC: node " + std::to_string(i) + " has no committee");
    if (++members[committee] > std::max(state.input.k, 1U)) {
      throw wrong_answer("KC: the committee of node " + std::to_string(committee) + " has more than " +
                         std::to_string(state.input.k) + " members");
    }
  }
  const std::vector<std::uint32_t> expected = reckoning(state.input).committee();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (state.nodes[i].committee != expected[i]) {
      throw wrong_answer("KC: node " + std::to_string(i) + " belongs to the committee of node " +
                         std::to_string(expected[i]) + ", not of node " + std::to_string(state.nodes[i].committee));
    }
  }
}

}  // namespace bench::imsuite
