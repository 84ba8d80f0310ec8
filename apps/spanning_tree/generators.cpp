// SPDX-License-Identifier: Apache-2.0
#include "generators.hpp"

#include "random.hpp"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

namespace spanning {
namespace {

void check_vertex_count(std::uint64_t n) {
  if (n > k_max_vertices) {
    throw std::invalid_argument(
        fmt::format("{} vertices are more than the {} that a graph can have", n, k_max_vertices));
  }
}

// One quadrant of the matrix per level, the high bit of both ends first.
edge draw_rmat_edge(std::uint64_t scale, random_source& random) {
  // Bounds of the four quadrants on a scale of 2^32, two levels per 64-bit number.
  constexpr auto k_one = static_cast<double>(std::uint64_t{1} << 32);
  constexpr auto k_upper_left = static_cast<std::uint32_t>(0.57 * k_one);
  constexpr auto k_upper_right = static_cast<std::uint32_t>(0.76 * k_one);
  constexpr auto k_lower_left = static_cast<std::uint32_t>(0.95 * k_one);
  edge e{0, 0};
  std::uint64_t bits = 0;
  for (std::uint64_t level = 0; level < scale; ++level) {
    bits = level % 2 == 0 ? random.next() : bits >> 32;
    const auto draw = static_cast<std::uint32_t>(bits);
    const bool lower = draw >= k_upper_right;
    const bool right = lower ? draw >= k_lower_left : draw >= k_upper_left;
    e.a = e.a << 1 | static_cast<vertex>(lower);
    e.b = e.b << 1 | static_cast<vertex>(right);
  }
  return e;
}

std::vector<vertex> random_order(std::uint64_t n, random_source& random) {
  std::vector<vertex> order(n);
  std::iota(order.begin(), order.end(), vertex{0});
  for (std::uint64_t left = n; left > 1; --left) {
    std::swap(order[left - 1], order[random.below(static_cast<std::uint32_t>(left))]);
  }
  return order;
}

}  // namespace

edge_list make_random(std::uint64_t n, std::uint64_t m, std::uint64_t seed, apps::progress_style style) {
  check_vertex_count(n);
  if (n < 2 && m > 0) {
    throw std::invalid_argument(fmt::format("a random graph with {} edges needs at least 2 vertices", m));
  }
  apps::progress_stage stage(style, "generating", m);
  random_source random(seed);
  edge_list list{.num_vertices = n, .edges = {}, .ids = {}};
  list.edges.reserve(m);
  while (list.edges.size() < m) {
    const vertex a = random.below(static_cast<std::uint32_t>(n));
    const vertex other = random.below(static_cast<std::uint32_t>(n - 1));
    list.edges.push_back({a, other < a ? other : other + 1});  // each vertex but a is as likely
    stage.done(list.edges.size());
  }
  return list;
}

edge_list make_torus(std::uint64_t rows, std::uint64_t columns, apps::progress_style style) {
  if (rows == 0 || columns == 0) {
    throw std::invalid_argument(fmt::format("a torus of {} x {} has no vertices", rows, columns));
  }
  if (rows > k_max_vertices / columns) {
    throw std::invalid_argument(fmt::format("a torus of {} x {} has more than the {} vertices that a graph can have",
                                            rows, columns, k_max_vertices));
  }
  edge_list list{.num_vertices = rows * columns, .edges = {}, .ids = {}};
  const auto joined = [](std::uint64_t at, std::uint64_t side) { return side > 2 || (side == 2 && at == 0); };
  const auto number = [columns](std::uint64_t r, std::uint64_t c) { return static_cast<vertex>(r * columns + c); };

  apps::progress_stage stage(style, "generating", list.num_vertices);
  list.edges.reserve(2 * list.num_vertices);
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint64_t c = 0; c < columns; ++c) {
      if (joined(c, columns)) {
        list.edges.push_back({number(r, c), number(r, (c + 1) % columns)});
      }
      if (joined(r, rows)) {
        list.edges.push_back({number(r, c), number((r + 1) % rows, c)});
      }
    }
    stage.done(r * columns);
  }
  return list;
}

edge_list make_rmat(std::uint64_t scale, std::uint64_t edge_factor, std::uint64_t seed, apps::progress_style style) {
  if (scale > 31) {
    throw std::invalid_argument(fmt::format("2^{} vertices are more than the 2^31 of the largest R-MAT graph", scale));
  }
  const std::uint64_t n = std::uint64_t{1} << scale;
  if (edge_factor > UINT64_MAX / n) {
    throw std::invalid_argument(fmt::format("{} edges for each of {} vertices are too many to count", edge_factor, n));
  }
  random_source random(seed);
  const std::vector<vertex> order = random_order(n, random);
  edge_list list{.num_vertices = n, .edges = {}, .ids = {}};

  const std::uint64_t m = n * edge_factor;
  apps::progress_stage stage(style, "generating", m);
  list.edges.reserve(m);
  while (list.edges.size() < m) {
    const edge e = draw_rmat_edge(scale, random);
    list.edges.push_back({order[e.a], order[e.b]});
    stage.done(list.edges.size());
  }
  return list;
}

}  // namespace spanning
