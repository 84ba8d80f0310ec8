// SPDX-License-Identifier: Apache-2.0
// Reads a graph in the format of the METIS family of partitioners: a line of neighbours for each vertex.
#pragma once

#include "graph.hpp"
#include "line_source.hpp"
#include "progress.hpp"
#include "reading_limits.hpp"

namespace spanning {

/// Reads the line "vertices edges [fmt [ncon]]" and then one line per vertex: its size if fmt is 1xx, its ncon weights
/// (without ncon: one) if fmt is x1x, and its neighbours, counted from 1, each followed by the weight of the edge if fmt
/// is xx1. Sizes and weights must be whole numbers and are passed over. Every edge stands in the lines of both of its
/// ends and counts once in the first line; an edge may be repeated, in both lines alike. A vertex without neighbours and
/// weights has an empty line. Lines that begin with '%' are passed over. Lines may have any length.
///
/// Throws input_error for any other file: a vertex that is its own neighbour (the format has no self-loops), an edge that
/// stands in one line only (told at the line of its larger end), another number of edges or vertices than announced,
/// more of them than the limits allow. Costs 8 bytes per vertex while it reads.
edge_list read_metis(line_source& source, const reading_limits& limits = limits_of_memory(),
                     apps::progress_style style = apps::progress_style::silent);

}  // namespace spanning
