// SPDX-License-Identifier: Apache-2.0
// How large a graph a reader may make of a file.
#pragma once

#include <cstdint>

namespace spanning {

struct reading_limits {
  std::uint64_t edges;     ///< self-loops included
  std::uint64_t vertices;  ///< that a header may announce
};

/// What fits into the available memory while the graph is built.
reading_limits limits_of_memory();

}  // namespace spanning
