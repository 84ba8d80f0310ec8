// SPDX-License-Identifier: Apache-2.0
// The edges that a reader has found so far: no more than allowed, and no memory for what a header only claims.
#pragma once

#include "graph.hpp"
#include "line_source.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace spanning {

class edge_collector {
public:
  edge_collector(const line_source& source, std::uint64_t max_edges) : source_(source), max_edges_(max_edges) {}

  /// Makes room for the edges that a header announces, as far as the file can hold them.
  void expect(std::uint64_t count);

  /// Throws input_error when the header announces more than allowed.
  void require(std::uint64_t count) const {
    if (count > max_edges_) {
      fail();
    }
  }

  /// Throws input_error when there are as many as allowed.
  void add(edge e) {
    require(edges_.size() + 1);
    edges_.push_back(e);
  }

  [[nodiscard]] const std::vector<edge>& edges() const noexcept { return edges_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return edges_.size(); }
  [[nodiscard]] std::vector<edge> take() { return std::move(edges_); }

private:
  [[noreturn]] void fail() const;

  const line_source& source_;
  std::uint64_t max_edges_;
  std::vector<edge> edges_;
};

/// A graph of vertices that the file calls 1 to `num_vertices`.
edge_list counted_from_one(std::uint64_t num_vertices, std::vector<edge> edges);

}  // namespace spanning
