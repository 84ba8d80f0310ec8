// SPDX-License-Identifier: Apache-2.0
// Disjoint sets of vertices.
#pragma once

#include "graph.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace spanning {

/// Begins with every vertex in a set of its own. Finding halves the paths it walks; joining hangs the set with the
/// larger name below the other, which is as short in practice as joining by size and needs no second array.
class union_find {
public:
  explicit union_find(std::uint64_t n) : up_(n), num_sets_(n) { std::iota(up_.begin(), up_.end(), vertex{0}); }

  /// Joins the sets of a and b; false when they are one already.
  bool join(vertex a, vertex b) noexcept {
    a = find(a);
    b = find(b);
    if (a == b) {
      return false;
    }
    if (a > b) {
      std::swap(a, b);
    }
    up_[b] = a;
    --num_sets_;
    return true;
  }

  vertex find(vertex v) noexcept {
    while (up_[v] != v) {
      up_[v] = up_[up_[v]];
      v = up_[v];
    }
    return v;
  }

  [[nodiscard]] std::uint64_t num_sets() const noexcept { return num_sets_; }

private:
  std::vector<vertex> up_;
  std::uint64_t num_sets_;
};

}  // namespace spanning
