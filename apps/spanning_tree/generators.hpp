// SPDX-License-Identifier: Apache-2.0
// Graphs made from a formula and a seed: the same arguments give the same graph on every machine.
#pragma once

#include "graph.hpp"
#include "progress.hpp"

#include <cstdint>

namespace spanning {

/// n vertices and m edges, the two ends of each drawn uniformly and different from each other. The same pair may be
/// drawn again. Throws std::invalid_argument when n is above k_max_vertices, or when n < 2 and m > 0.
edge_list make_random(std::uint64_t n, std::uint64_t m, std::uint64_t seed,
                      apps::progress_style style = apps::progress_style::silent);

/// A grid of rows x columns whose opposite sides are joined: each vertex has an edge to its right and to its lower
/// neighbour. A side of length 2 joins its vertices once, one of length 1 not at all.
/// Throws std::invalid_argument when a side is 0 or there are more than k_max_vertices.
edge_list make_torus(std::uint64_t rows, std::uint64_t columns,
                     apps::progress_style style = apps::progress_style::silent);

/// A recursive matrix graph (Chakrabarti, Zhan and Faloutsos, 2004) with the probabilities of Graph500: 0.57, 0.19,
/// 0.19, 0.05. 2^scale vertices, numbered in random order, and edge_factor edges per vertex, among them self-loops and
/// repeated edges. Throws std::invalid_argument when scale is above 31.
edge_list make_rmat(std::uint64_t scale, std::uint64_t edge_factor, std::uint64_t seed,
                    apps::progress_style style = apps::progress_style::silent);

}  // namespace spanning
