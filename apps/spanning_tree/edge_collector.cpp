// SPDX-License-Identifier: Apache-2.0
#include "edge_collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace spanning {
namespace {

// The shortest line that is an edge: "0 1\n".
constexpr std::uint64_t k_shortest_edge_line = 4;

}  // namespace

void edge_collector::expect(std::uint64_t count) {
  edges_.reserve(std::min({count, max_edges_, source_.size() / k_shortest_edge_line + 1}));
}

void edge_collector::fail() const {
  source_.fail(fmt::format(
      "more than {} edges, the limit (--max-edges; by default what fits into the available memory)", max_edges_));
}

edge_list counted_from_one(std::uint64_t num_vertices, std::vector<edge> edges) {
  edge_list list{.num_vertices = num_vertices, .edges = std::move(edges), .ids = {}};
  list.ids.resize(num_vertices);
  std::iota(list.ids.begin(), list.ids.end(), vertex{1});
  return list;
}

}  // namespace spanning
