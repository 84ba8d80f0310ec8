// SPDX-License-Identifier: Apache-2.0
// From the ids that a file uses, which may have any gaps, to vertices 0 .. n-1.
#pragma once

#include "graph.hpp"
#include "progress.hpp"

#include <vector>

namespace spanning {

/// Replaces every id in `edges` by its rank among the ids that occur, and returns those ids in ascending order.
/// Costs O(edges + largest id) where the ids are dense, else O(edges log edges); memory is at most in proportion to
/// the edges.
std::vector<vertex> make_ids_dense(std::vector<edge>& edges, apps::progress_style style = apps::progress_style::silent);

}  // namespace spanning
