// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/dr.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "support/program.hpp"

namespace bench::imsuite {

dr_state::dr_state(dr_input given, std::uint64_t load_of_task) : input(std::move(given)), load(load_of_task) {
  for (std::size_t i = 0; i < input.g.n; ++i) {
    for (const std::uint32_t j : input.g.neighbours[i]) {
      if (input.weight[i * input.g.n + j] <= 0) throw std::invalid_argument("DR: the weights of edges are positive");
    }
  }
  reset();
}

void dr_state::reset() { table.assign(input.g.n, std::vector<route>(input.g.n)); }

void dr_state::route_from(std::size_t source) {
  const std::size_t n = table.size();
  std::vector<route>& to = table[source];
  std::vector<bool> settled(n);
  to[source] = {0, static_cast<std::uint32_t>(source), static_cast<std::uint32_t>(source)};
  while (true) {
    // Linear search in place of a heap, as in the published program.
    std::size_t at = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!settled[i] && to[i].cost != k_unreachable && (at == n || to[i].cost < to[at].cost)) at = i;
    }
    if (at == n) return;
    settled[at] = true;
    for (const std::uint32_t j : input.g.neighbours[at]) {
      const std::int64_t cost = to[at].cost + input.weight[at * n + j];
      if (cost < to[j].cost) to[j] = {cost, static_cast<std::uint32_t>(at), at == source ? j : to[at].next};
    }
  }
}

void verify_dr(const dr_state& state) {
  const graph& g = state.input.g;
  const auto weight = [&](std::size_t i, std::size_t j) { return state.input.weight[i * g.n + j]; };
  const auto wrong = [](std::size_t source, std::size_t target, const std::string& what) {
    return wrong_answer("DR: the route from node " + std::to_string(source) + " to node " + std::to_string(target) +
                        " " + what);
  };
  for (std::size_t source = 0; source < g.n; ++source) {
    const std::vector<dr_state::route>& to = state.table[source];
    const std::vector<std::uint32_t> distance = distances(g, source);
    if (to[source].cost != 0) throw wrong(source, source, "is not empty");
    for (std::size_t i = 0; i < g.n; ++i) {
      if ((to[i].cost == dr_state::k_unreachable) != (distance[i] == k_unreached))
        throw wrong(source, i, "exists or is missing");
      if (distance[i] == k_unreached) continue;
      for (const std::uint32_t j : g.neighbours[i]) {
        if (to[j].cost > to[i].cost + weight(i, j)) throw wrong(source, j, "could be shorter");
      }
      if (i == source) continue;
      const std::uint32_t parent = to[i].parent;
      if (parent >= g.n || !g.adjacent(i, parent) || to[parent].cost == dr_state::k_unreachable ||
          to[i].cost != to[parent].cost + weight(parent, i))
        throw wrong(source, i, "is not its parent's route and one edge");
      if (to[i].next != (parent == source ? i : to[parent].next)) throw wrong(source, i, "has a wrong first hop");
    }
  }
}

}  // namespace bench::imsuite
