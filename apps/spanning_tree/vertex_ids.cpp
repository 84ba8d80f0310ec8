// SPDX-License-Identifier: Apache-2.0
#include "vertex_ids.hpp"

#include <algorithm>
#include <utility>

namespace spanning {
namespace {

std::vector<vertex> rank_by_table(std::vector<edge>& edges, vertex largest, apps::progress_stage& stage) {
  std::vector<vertex> rank(std::size_t{largest} + 1, k_no_vertex);
  for (const edge& e : edges) {
    rank[e.a] = 0;  // occurs
    rank[e.b] = 0;
  }
  std::vector<vertex> ids;
  for (std::size_t id = 0; id < rank.size(); ++id) {
    if (rank[id] != k_no_vertex) {
      rank[id] = static_cast<vertex>(ids.size());
      ids.push_back(static_cast<vertex>(id));
    }
  }
  std::uint64_t steps = 0;
  for (edge& e : edges) {
    stage.done(++steps);
    e = {rank[e.a], rank[e.b]};
  }
  return ids;
}

std::vector<vertex> rank_by_sorting(std::vector<edge>& edges, apps::progress_stage& stage) {
  std::vector<vertex> ids;
  ids.reserve(2 * edges.size());
  for (const edge& e : edges) {
    ids.push_back(e.a);
    ids.push_back(e.b);
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  ids.shrink_to_fit();
  const auto rank = [&](vertex id) { return static_cast<vertex>(std::ranges::lower_bound(ids, id) - ids.begin()); };
  std::uint64_t steps = 0;
  for (edge& e : edges) {
    stage.done(++steps);
    e = {rank(e.a), rank(e.b)};
  }
  return ids;
}

}  // namespace

std::vector<vertex> make_ids_dense(std::vector<edge>& edges, apps::progress_style style) {
  apps::progress_stage stage(style, "numbering the vertices", edges.size());
  vertex largest = 0;
  for (const edge& e : edges) {
    largest = std::max({largest, e.a, e.b});
  }
  // The table is faster, but only while it takes no more memory than sorting, which holds both ends of every edge.
  const bool dense = largest < 2 * edges.size();
  return dense ? rank_by_table(edges, largest, stage) : rank_by_sorting(edges, stage);
}

}  // namespace spanning
