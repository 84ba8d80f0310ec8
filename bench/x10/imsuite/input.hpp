// SPDX-License-Identifier: Apache-2.0
// What each kernel is given, in the layout of its published input file (read.hpp, write.hpp) or made (generate.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "x10/imsuite/graph.hpp"

namespace bench::imsuite {

/// Breadth-first search, Bellman-Ford style.
struct bf_input {
  graph g;
  std::uint32_t root = 0;

  bool operator==(const bf_input&) const = default;
};

/// Breadth-first tree, Dijkstra style.
struct dst_input {
  graph g;
  std::uint32_t root = 0;

  bool operator==(const dst_input&) const = default;
};

/// Committees of at most k members; the ids are unique.
struct kc_input {
  graph g;
  std::uint32_t k = 0;
  std::vector<std::int64_t> id;

  bool operator==(const kc_input&) const = default;
};

/// Leader election in a graph; the ids are unique.
struct dp_input {
  graph g;
  std::vector<std::int64_t> id;

  bool operator==(const dp_input&) const = default;
};

/// Leader election in a ring, Hirschberg and Sinclair: unique ids in ring order.
struct hs_input {
  std::vector<std::int64_t> id;

  bool operator==(const hs_input&) const = default;
};

/// Leader election in a ring, Le Lann, Chang and Roberts: unique ids in ring order.
struct lcr_input {
  std::vector<std::int64_t> id;

  bool operator==(const lcr_input&) const = default;
};

/// Maximal independent set.
struct mis_input {
  graph g;

  bool operator==(const mis_input&) const = default;
};

/// Minimum spanning tree: weight of (i, j) at i * n + j, symmetric, different for different edges. Pairs without
/// an edge have a number too, without meaning.
struct mst_input {
  graph g;
  std::vector<std::int64_t> weight;

  bool operator==(const mst_input&) const = default;
};

/// Byzantine consensus: a vote of 0 or 1 from each node; the traitors by index.
struct by_input {
  graph g;
  std::vector<std::uint8_t> vote;
  std::vector<std::uint32_t> traitor;

  bool operator==(const by_input&) const = default;
};

/// Dominating set.
struct ds_input {
  graph g;

  bool operator==(const ds_input&) const = default;
};

/// Colouring of a rooted tree: the parent of each node, the root's entry is 0 and has no meaning.
struct vc_input {
  graph g;
  std::uint32_t root = 0;
  std::vector<std::uint32_t> parent;

  bool operator==(const vc_input&) const = default;
};

/// Routing tables of all nodes: weights as for mst_input.
struct dr_input {
  graph g;
  std::vector<std::int64_t> weight;

  bool operator==(const dr_input&) const = default;
};

}  // namespace bench::imsuite
