// SPDX-License-Identifier: Apache-2.0
// From the command line's choice of an input to a graph.
#pragma once

#include "graph.hpp"
#include "options.hpp"

#include <string>
#include <vector>

namespace spanning {

struct loaded_graph {
  std::string description;  ///< where the graph is from, in a few words
  graph g;
  std::vector<vertex> ids;  ///< what the file calls each vertex; empty: its own number
};

/// Throws input_error for a file that cannot be used, std::invalid_argument for a graph that cannot be made or does not
/// fit into the available memory.
loaded_graph load(const options& o);

}  // namespace spanning
