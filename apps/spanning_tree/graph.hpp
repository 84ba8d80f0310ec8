// SPDX-License-Identifier: Apache-2.0
// An undirected graph in compressed form: the neighbours of a vertex lie side by side.
#pragma once

#include "progress.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace spanning {

/// A vertex of a graph of n vertices is one of 0 .. n-1.
using vertex = std::uint32_t;

/// Stands where no vertex is: the parent of a vertex that no search has reached.
inline constexpr vertex k_no_vertex = 0xffff'ffff;

/// As many vertices as there are values beside k_no_vertex; the largest vertex is 2^32 - 2.
inline constexpr std::uint64_t k_max_vertices = k_no_vertex;

struct edge {
  vertex a;
  vertex b;
  friend bool operator==(const edge&, const edge&) = default;
};

/// What readers and generators make. Self-loops and repeated edges are allowed.
struct edge_list {
  std::uint64_t num_vertices = 0;  ///< every end of an edge is below it
  std::vector<edge> edges;
  std::vector<vertex> ids;  ///< what the file calls each vertex; empty: its own number
};

/// Immutable after construction, so any number of tasks may read it.
class graph {
public:
  graph() = default;

  /// Builds the graph in O(vertices + edges). A self-loop makes its vertex exist and is no edge of the graph;
  /// repeated edges stay repeated. Keeps the order of the list among the neighbours of each vertex.
  explicit graph(const edge_list& list, apps::progress_style style = apps::progress_style::silent);

  [[nodiscard]] std::uint64_t num_vertices() const noexcept { return starts_.size() - 1; }

  /// Undirected edges, each counted once, self-loops left out.
  [[nodiscard]] std::uint64_t num_edges() const noexcept { return neighbours_.size() / 2; }

  [[nodiscard]] std::span<const vertex> neighbours(vertex v) const noexcept {
    return {neighbours_.data() + starts_[v], neighbours_.data() + starts_[std::size_t{v} + 1]};
  }

private:
  std::vector<std::uint64_t> starts_ = {0};  // of the neighbours of each vertex; the last element is the end of all
  std::vector<vertex> neighbours_;
};

}  // namespace spanning
