// SPDX-License-Identifier: Apache-2.0
// What the program prints and writes about a finished set of measurements.
#pragma once

#include "input.hpp"
#include "measure.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spanning {

struct report {
  const loaded_graph& input;
  std::uint64_t num_components;
  std::uint64_t seed;
  std::vector<measurement> rows;  ///< the serial version first
};

/// The heading, to stdout, before the first search: what the graph is.
void print_heading(const report& r);

/// The table, to stdout, one row per version.
void print_table(const report& r);

/// The same as JSON, in place of what the file has held once it is whole. Throws std::runtime_error when the file cannot be written.
void write_json(const report& r, const std::string& path);

/// Lines of a vertex and its parent, by the ids of the input; written likewise. Throws std::runtime_error when it cannot be written.
void write_forest(std::span<const vertex> parent, std::span<const vertex> ids, const std::string& path);

}  // namespace spanning
