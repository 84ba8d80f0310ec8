// SPDX-License-Identifier: Apache-2.0
// Reads an edge list in the style of the SNAP collection.
#pragma once

#include "graph.hpp"
#include "progress.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace spanning {

/// The input cannot be read or is not an edge list. The text begins with the file and, where there is one, the line.
class input_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// How many edges a reader may take, self-loops included: what fits into the available memory while the graph is built.
std::uint64_t edges_that_fit();

/// Reads lines of two vertex ids between 0 and 2^32 - 2, separated and surrounded by blanks or tabs, ended by LF or CR LF;
/// the last line may lack its end. Empty lines and lines that begin with '#' are passed over. The ids that occur become
/// vertices 0, 1, ... in ascending order. "-" is the standard input.
///
/// Throws input_error for an unreadable or empty file, for any other line, for more than `max_edges` edges, and for a
/// file that ends before the number of edges that its own header ("# Nodes: 5 Edges: 8") announces.
edge_list read_edge_list(const std::string& path, std::uint64_t max_edges = edges_that_fit(),
                         progress_style style = progress_style::silent);

}  // namespace spanning
