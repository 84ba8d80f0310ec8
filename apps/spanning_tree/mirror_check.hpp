// SPDX-License-Identifier: Apache-2.0
// Tells whether every edge of an adjacency structure stands in the lines of both of its ends.
#pragma once

#include "graph.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace spanning {

/// The lines come in the order of the vertices, so when the line of a vertex ends, all smaller vertices have named it that
/// will. A vertex keeps the sum of a hash of those that did; its own line must name vertices of the same sum. Two sets of
/// different vertices with equal 64-bit sums would be needed to deceive it.
class mirror_check {
public:
  explicit mirror_check(std::uint64_t num_vertices) : sums_(num_vertices, 0) {}

  /// In the line of the smaller vertex.
  void named_larger(edge e) { sums_[e.b] += hash(e.a); }

  /// In the line of the larger vertex.
  void named_smaller(vertex larger, vertex smaller) {
    sums_[larger] -= hash(smaller);
    smaller_.push_back(smaller);
  }

  /// A smaller vertex that only one of the two lines has, and which.
  struct difference {
    vertex smaller;
    bool only_in_the_larger;
  };

  /// At the end of the line of `v`; `edges` are those named so far, from smaller to larger.
  std::optional<difference> end_of_line(vertex v, std::span<const edge> edges) {
    std::optional<difference> found;
    if (sums_[v] != 0) {
      found = find(v, edges);
    }
    smaller_.clear();
    return found;
  }

private:
  // The finalizer of splitmix64: sums of its values for small numbers do not coincide as sums of the numbers would.
  static std::uint64_t hash(vertex v) noexcept {
    std::uint64_t x = v + 0x9e37'79b9'7f4a'7c15ULL;
    x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebULL;
    return x ^ (x >> 31U);
  }

  difference find(vertex v, std::span<const edge> edges);

  std::vector<std::uint64_t> sums_;
  std::vector<vertex> smaller_;  // in the present line
};

}  // namespace spanning
