// SPDX-License-Identifier: Apache-2.0
// The spanning forest without tasks: what the parallel searches are measured against.
#pragma once

#include "graph.hpp"

#include <span>

namespace spanning {

/// Writes the parent of every vertex, a root's being itself. Depth first with an explicit stack of labelled vertices
/// whose neighbours have not been looked at. `parent` has one element per vertex, all k_no_vertex.
void search_serial(const graph& g, std::span<vertex> parent);

}  // namespace spanning
