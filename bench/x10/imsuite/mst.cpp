// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/mst.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {
namespace {

/// The weight of a minimum spanning tree, by Prim's algorithm from node 0.
std::int64_t prim(const mst_input& input) {
  constexpr std::int64_t k_far = std::numeric_limits<std::int64_t>::max();
  const std::size_t n = input.g.n;
  std::vector<bool> inside(n);
  std::vector<std::int64_t> cheapest(n, k_far);
  cheapest[0] = 0;
  std::int64_t sum = 0;
  for (std::size_t taken = 0; taken < n; ++taken) {
    std::size_t next = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!inside[i] && (next == n || cheapest[i] < cheapest[next])) next = i;
    }
    inside[next] = true;
    sum += cheapest[next];
    for (const std::uint32_t j : input.g.neighbours[next]) {
      if (!inside[j]) cheapest[j] = std::min(cheapest[j], input.weight[next * n + j]);
    }
  }
  return sum;
}

}  // namespace

mst_state::mst_state(mst_input given, std::uint64_t load_of_task) : input(std::move(given)), load(load_of_task) {
  if (input.g.n == 0 || !connected(input.g)) throw std::invalid_argument("MST: needs a connected graph");
  reset();
}

void mst_state::reset() {
  nodes.assign(input.g.n, node{});
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].fragment = static_cast<std::uint32_t>(i);
}

mst_state::edge mst_state::lightest_of(std::size_t i) const {
  const auto self = static_cast<std::uint32_t>(i);
  edge best{self, self};
  for (const std::uint32_t j : input.g.neighbours[i]) {
    const edge other{self, j};
    if (nodes[j].fragment != nodes[i].fragment && weight(other) < weight(best)) best = other;
  }
  return best;
}

void turn_round(mst_state& state, std::size_t i) {
  mst_state::node& me = state.nodes[i];
  const auto self = static_cast<std::uint32_t>(i);
  const std::uint32_t old_parent = me.parent;
  const bool is_end = me.change_child == self;
  me.change_arriving = false;
  me.fragment = is_end ? mst_state::k_nobody : me.change_child;
  if (!is_end) std::erase(me.children, me.change_child);
  me.parent = is_end ? mst_state::k_nobody : me.change_child;
  me.change_child = mst_state::k_nobody;
  if (old_parent == mst_state::k_nobody) {
    me.inverted = true;
    return;
  }
  me.children.push_back(old_parent);
  state.nodes[old_parent].change_arriving = true;
  state.nodes[old_parent].change_child = self;
}

void verify_mst(const mst_state& state) {
  const auto wrong = [](std::size_t i, const std::string& what) {
    return wrong_answer("MST: node " + std::to_string(i) + " " + what);
  };
  const std::size_t n = state.nodes.size();
  std::vector<std::uint32_t> times_child(n);
  std::int64_t sum = 0;
  std::uint32_t root = mst_state::k_nobody;
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::uint32_t c : state.nodes[i].children) {
      if (c >= n || state.nodes[c].parent != i) throw wrong(i, "has a child with another parent");
      if (!state.input.g.adjacent(i, c)) throw wrong(i, "has a child that is no neighbour");
      ++times_child[c];
      sum += state.input.weight[i * n + c];
    }
    if (state.nodes[i].parent != mst_state::k_nobody) continue;
    if (root != mst_state::k_nobody) throw wrong(i, "is a second root");
    root = static_cast<std::uint32_t>(i);
  }
  if (root == mst_state::k_nobody) throw wrong_answer("MST: there is no root");
  ++times_child[root];
  for (std::size_t i = 0; i < n; ++i) {
    if (times_child[i] != 1) throw wrong(i, "is a child of " + std::to_string(times_child[i]) + " nodes");
  }
  // n - 1 links; they are a tree if all nodes hang from the root.
  std::size_t reached = 0;
  std::vector<std::uint32_t> to_visit{root};
  while (!to_visit.empty()) {
    const std::uint32_t at = to_visit.back();
    to_visit.pop_back();
    ++reached;
    to_visit.insert(to_visit.end(), state.nodes[at].children.begin(), state.nodes[at].children.end());
  }
  if (reached != n) throw wrong_answer("MST: " + std::to_string(n - reached) + " nodes do not hang from the root");
  const std::int64_t least = prim(state.input);
  if (sum != least) {
    throw wrong_answer("MST: the tree weighs " + std::to_string(sum) + ", the lightest " + std::to_string(least));
  }
}

}  // namespace bench::imsuite
