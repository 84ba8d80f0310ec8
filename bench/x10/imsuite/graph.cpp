// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/graph.hpp"

#include <algorithm>

namespace bench::imsuite {

bool graph::adjacent(std::size_t i, std::size_t j) const {
  return std::ranges::binary_search(neighbours[i], static_cast<std::uint32_t>(j));
}

std::size_t graph::edges() const {
  std::size_t ends = 0;
  for (const auto& list : neighbours) ends += list.size();
  return ends / 2;
}

std::vector<std::uint32_t> distances(const graph& g, std::size_t root) {
  std::vector<std::uint32_t> distance(g.n, k_unreached);
  std::vector<std::uint32_t> queue{static_cast<std::uint32_t>(root)};
  distance[root] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::uint32_t u = queue[next];
    for (const std::uint32_t v : g.neighbours[u]) {
      if (distance[v] != k_unreached) continue;
      distance[v] = distance[u] + 1;
      queue.push_back(v);
    }
  }
  return distance;
}

std::uint32_t eccentricity(const graph& g, std::size_t root) {
  std::uint32_t farthest = 0;
  for (const std::uint32_t d : distances(g, root)) {
    if (d != k_unreached) farthest = std::max(farthest, d);
  }
  return farthest;
}

bool connected(const graph& g) { return std::ranges::count(distances(g, 0), k_unreached) == 0; }

}  // namespace bench::imsuite
