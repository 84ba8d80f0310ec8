// SPDX-License-Identifier: Apache-2.0
// Reads an edge list in the style of the SNAP collection.
#pragma once

#include "graph.hpp"
#include "line_source.hpp"
#include "progress.hpp"
#include "reading_limits.hpp"

namespace spanning {

/// Reads lines of two vertex ids between 0 and 2^32 - 2, separated and surrounded by blanks or tabs, ended by LF or CR LF;
/// the last line may lack its end. Empty lines and lines that begin with '#' are passed over. The ids that occur become
/// vertices 0, 1, ... in ascending order.
///
/// Throws input_error for an unreadable or empty file, for any other line, for more than limits.edges edges, and for a
/// file that ends before the number of edges that its own header ("# Nodes: 5 Edges: 8") announces.
edge_list read_edge_list(line_source& source, const reading_limits& limits = limits_of_memory(),
                         apps::progress_style style = apps::progress_style::silent);

}  // namespace spanning
