// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

#include "union_find.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace spanning {

std::uint64_t count_components(const graph& g, apps::progress_style style) {
  apps::progress_stage stage(style, "counting components", g.num_vertices());
  union_find sets(g.num_vertices());
  for (std::uint64_t v = 0; v < g.num_vertices(); ++v) {
    for (const vertex e : g.neighbours(static_cast<vertex>(v))) {
      if (e > v) {  // the other direction of the same edge says nothing new
        sets.join(static_cast<vertex>(v), e);
      }
    }
    stage.done(v);
  }
  return sets.num_sets();
}

verdict verify_forest(const graph& g, std::span<const vertex> parent, std::uint64_t num_components,
                      apps::progress_style style) {
  if (parent.size() != g.num_vertices()) {
    return {0, fmt::format("{} parents for {} vertices", parent.size(), g.num_vertices())};
  }
  apps::progress_stage stage(style, "verifying", g.num_vertices());
  union_find trees(g.num_vertices());
  for (std::uint64_t i = 0; i < g.num_vertices(); ++i) {
    stage.done(i);
    const auto v = static_cast<vertex>(i);
    const vertex p = parent[v];
    if (p == k_no_vertex) {
      return {0, fmt::format("vertex {} has no parent", v)};
    }
    if (p == v) {
      continue;
    }
    const auto near = g.neighbours(v);
    if (std::ranges::find(near, p) == near.end()) {
      return {0, fmt::format("the parent of vertex {}, {}, is not its neighbour", v, p)};
    }
    if (!trees.join(v, p)) {
      return {0, fmt::format("the edge from vertex {} to its parent {} closes a cycle", v, p)};
    }
  }
  // Without cycles every join made one tree of two, so the sets that are left are the trees.
  if (trees.num_sets() != num_components) {
    return {trees.num_sets(), fmt::format("{} trees for {} components", trees.num_sets(), num_components)};
  }
  return {trees.num_sets(), {}};
}

}  // namespace spanning
