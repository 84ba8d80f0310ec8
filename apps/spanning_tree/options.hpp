// SPDX-License-Identifier: Apache-2.0
// The command line of the program.
#pragma once

#include "graph_reader.hpp"
#include "measure.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace spanning {

struct file_input {
  std::string path;
  graph_format format;
};
struct random_input {
  std::uint64_t vertices;
  std::uint64_t edges;
};
struct torus_input {
  std::uint64_t rows;
  std::uint64_t columns;
};
struct rmat_input {
  std::uint64_t scale;
  std::uint64_t edge_factor;
};

struct options {
  std::variant<file_input, random_input, torus_input, rmat_input> input;
  std::uint64_t seed = 1;
  std::uint64_t max_edges = 0;  ///< 0: what fits into memory
  bool all_versions = true;     ///< else a limit is a failure: nothing else was asked for
  std::vector<version> versions;
  measure_settings settings;
  std::string json_file;    ///< empty: none
  std::string forest_file;  ///< empty: none
};

/// The options, or the code to exit with after help or an error has been printed: 0 or 2.
std::variant<options, int> parse_options(int argc, char** argv);

}  // namespace spanning
