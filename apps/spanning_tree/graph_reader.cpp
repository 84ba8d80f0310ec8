// SPDX-License-Identifier: Apache-2.0
#include "graph_reader.hpp"

#include "edge_list_reader.hpp"
#include "matrix_market_reader.hpp"
#include "metis_reader.hpp"

namespace spanning {

graph_format format_of(line_source& source) {
  const std::string_view name = source.name();
  if (source.begins_with(k_matrix_market_banner) || name.ends_with(".mtx")) {
    return graph_format::matrix_market;
  }
  return name.ends_with(".graph") || name.ends_with(".metis") ? graph_format::metis : graph_format::edge_list;
}

edge_list read_graph(line_source& source, graph_format format, const reading_limits& limits,
                     apps::progress_style style) {
  switch (format == graph_format::automatic ? format_of(source) : format) {
    case graph_format::matrix_market: return read_matrix_market(source, limits, style);
    case graph_format::metis: return read_metis(source, limits, style);
    default: return read_edge_list(source, limits, style);
  }
}

}  // namespace spanning
