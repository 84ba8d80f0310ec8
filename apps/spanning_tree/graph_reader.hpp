// SPDX-License-Identifier: Apache-2.0
// Reads a graph from a file, in the format that it has.
#pragma once

#include "graph.hpp"
#include "line_source.hpp"
#include "progress.hpp"
#include "reading_limits.hpp"

#include <cstdint>
#include <string_view>

namespace spanning {

enum class graph_format : std::uint8_t {
  automatic,      ///< as format_of says
  edge_list,      ///< edge_list_reader.hpp
  matrix_market,  ///< matrix_market_reader.hpp
  metis,          ///< metis_reader.hpp
};

/// matrix_market for a file that begins with its banner or is called .mtx; metis for one that is called .graph or .metis;
/// else edge_list. Only before the first line is taken.
graph_format format_of(line_source& source);

/// Reads the graph; throws input_error as the reader of the format does.
edge_list read_graph(line_source& source, graph_format format, const reading_limits& limits,
                     apps::progress_style style = apps::progress_style::silent);

}  // namespace spanning
