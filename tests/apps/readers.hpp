// SPDX-License-Identifier: Apache-2.0
// A reader on a text, for the tests of the readers.
#pragma once

#include "graph.hpp"
#include "line_source.hpp"
#include "progress.hpp"
#include "reading_limits.hpp"

#include <string>

namespace readers {

using reader = spanning::edge_list(spanning::line_source&, const spanning::reading_limits&, apps::progress_style);

inline constexpr spanning::reading_limits k_limits{.edges = 1000, .vertices = 1000};

inline spanning::edge_list read(reader* how, const std::string& content,
                                const spanning::reading_limits& limits = k_limits) {
  spanning::line_source source("file", content);
  return how(source, limits, apps::progress_style::silent);
}

/// What the reader says of the text.
inline std::string complaint(reader* how, const std::string& content,
                             const spanning::reading_limits& limits = k_limits) {
  try {
    (void)read(how, content, limits);
    return "no complaint";
  } catch (const spanning::input_error& e) {
    return e.what();
  }
}

}  // namespace readers
