// SPDX-License-Identifier: Apache-2.0
// The undirected graph whose nodes the kernels simulate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench::imsuite {

/// Symmetric, without loops; the neighbours of each node in ascending order.
struct graph {
  std::size_t n = 0;
  std::vector<std::vector<std::uint32_t>> neighbours;

  [[nodiscard]] bool adjacent(std::size_t i, std::size_t j) const;
  [[nodiscard]] std::size_t edges() const;

  bool operator==(const graph&) const = default;
};

/// Not reached, in distances().
inline constexpr std::uint32_t k_unreached = UINT32_MAX;

/// Hops from the root to every node, by serial breadth-first search.
std::vector<std::uint32_t> distances(const graph& g, std::size_t root);

/// The largest distance from the root to a node that it reaches.
std::uint32_t eccentricity(const graph& g, std::size_t root);

/// Every node is reached from node 0.
bool connected(const graph& g);

}  // namespace bench::imsuite
