// SPDX-License-Identifier: Apache-2.0
// Is this a spanning forest? Shares nothing with the searches but the graph.
#pragma once

#include "graph.hpp"
#include "progress.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace spanning {

/// The number of connected components, by union-find over the edges.
std::uint64_t count_components(const graph& g, apps::progress_style style = apps::progress_style::silent);

struct verdict {
  std::uint64_t num_trees = 0;
  std::string problem;  ///< what is wrong first; empty: `parent` is a spanning forest
  [[nodiscard]] bool ok() const noexcept { return problem.empty(); }
};

/// Checks that every vertex has a parent, that a parent is the vertex itself (a root) or a neighbour, that no parents
/// form a cycle, and that there is one tree for each of the graph's `num_components`. Together these say that `parent`
/// is a spanning forest: the edges to parents join only what the graph joins, without a cycle, into as few trees.
verdict verify_forest(const graph& g, std::span<const vertex> parent, std::uint64_t num_components,
                      apps::progress_style style = apps::progress_style::silent);

}  // namespace spanning
