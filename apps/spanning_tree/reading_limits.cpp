// SPDX-License-Identifier: Apache-2.0
#include "reading_limits.hpp"

#include "graph.hpp"
#include "memory.hpp"

#include <algorithm>

namespace spanning {
namespace {

// An edge takes 8 bytes in the list, 24 for a moment while the list grows; then 16 more while its ends are numbered,
// or 8 among the neighbours.
constexpr std::uint64_t k_bytes_per_edge = 24;

// Name, start, parent, union-find and the stack of a search.
constexpr std::uint64_t k_bytes_per_vertex = 28;

}  // namespace

reading_limits limits_of_memory() {
  const std::uint64_t available = available_memory();
  return {.edges = available / k_bytes_per_edge, .vertices = std::min(k_max_vertices, available / k_bytes_per_vertex)};
}

}  // namespace spanning
