// SPDX-License-Identifier: Apache-2.0
#include "mirror_check.hpp"

#include <algorithm>

namespace spanning {

// Only for a message, so it may look at all edges.
mirror_check::difference mirror_check::find(vertex v, std::span<const edge> edges) {
  std::vector<vertex> named_by;
  for (const edge& e : edges) {
    if (e.b == v) {
      named_by.push_back(e.a);
    }
  }
  std::ranges::sort(named_by);
  std::ranges::sort(smaller_);
  const auto [theirs, ours] = std::ranges::mismatch(named_by, smaller_);
  const bool only_in_the_larger = theirs == named_by.end() || (ours != smaller_.end() && *ours < *theirs);
  return {only_in_the_larger ? *ours : *theirs, only_in_the_larger};
}

}  // namespace spanning
