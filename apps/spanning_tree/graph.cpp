// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <numeric>
#include <ranges>

namespace spanning {

graph::graph(const edge_list& list, apps::progress_style style) : starts_(list.num_vertices + 1, 0) {
  apps::progress_stage stage(style, "building the graph", 2 * list.edges.size());
  std::uint64_t steps = 0;

  for (const edge& e : list.edges) {
    stage.done(++steps);
    if (e.a != e.b) {
      ++starts_[e.a];
      ++starts_[e.b];
    }
  }
  std::inclusive_scan(starts_.begin(), starts_.end(), starts_.begin());
  neighbours_.resize(starts_.back());

  // Each start begins as the end of its range and moves down with every neighbour written, so that it needs no copy
  // as a cursor; going through the list backwards keeps its order.
  for (const edge& e : std::views::reverse(list.edges)) {
    stage.done(++steps);
    if (e.a != e.b) {
      neighbours_[--starts_[e.b]] = e.a;
      neighbours_[--starts_[e.a]] = e.b;
    }
  }
}

}  // namespace spanning
