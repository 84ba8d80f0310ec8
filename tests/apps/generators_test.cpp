// SPDX-License-Identifier: Apache-2.0
#include "generators.hpp"

#include "verify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace {

using spanning::edge;
using spanning::edge_list;
using spanning::graph;
using spanning::make_random;
using spanning::make_rmat;
using spanning::make_torus;

bool ends_are_vertices(const edge_list& list) {
  return std::ranges::all_of(list.edges,
                             [&](const edge& e) { return e.a < list.num_vertices && e.b < list.num_vertices; });
}

TEST(generators, random_has_the_numbers_asked_for_and_no_self_loops) {
  const edge_list list = make_random(100, 1000, 7);
  EXPECT_EQ(list.num_vertices, 100U);
  EXPECT_EQ(list.edges.size(), 1000U);
  EXPECT_TRUE(ends_are_vertices(list));
  EXPECT_TRUE(std::ranges::none_of(list.edges, [](const edge& e) { return e.a == e.b; }));
}

TEST(generators, random_reaches_every_pair) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const edge& e : make_random(4, 1000, 1).edges) {
    seen.emplace(e.a, e.b);
  }
  EXPECT_EQ(seen.size(), 12U);
}

TEST(generators, random_with_one_pair_possible) {
  for (const edge& e : make_random(2, 50, 3).edges) {
    EXPECT_EQ(e.a + e.b, 1U);
  }
}

TEST(generators, the_same_seed_gives_the_same_graph_and_another_seed_another) {
  EXPECT_EQ(make_random(50, 200, 5).edges, make_random(50, 200, 5).edges);
  EXPECT_NE(make_random(50, 200, 5).edges, make_random(50, 200, 6).edges);
  EXPECT_EQ(make_rmat(6, 4, 5).edges, make_rmat(6, 4, 5).edges);
  EXPECT_NE(make_rmat(6, 4, 5).edges, make_rmat(6, 4, 6).edges);
}

// Fixed for good, so that measurements taken apart speak of the same graph.
TEST(generators, the_first_edges_of_seed_1_do_not_change) {
  EXPECT_EQ(make_random(1'000'000, 2, 1).edges, (std::vector<edge>{{566'561, 745'782}, {971'002, 444'358}}));
  EXPECT_EQ(make_rmat(10, 1, 1).edges.front(), (edge{800, 880}));
}

TEST(generators, torus_gives_every_vertex_four_neighbours) {
  const graph g(make_torus(3, 5));
  EXPECT_EQ(g.num_vertices(), 15U);
  EXPECT_EQ(g.num_edges(), 30U);
  for (spanning::vertex v = 0; v < 15; ++v) {
    const auto near = g.neighbours(v);
    EXPECT_EQ(std::set<spanning::vertex>(near.begin(), near.end()).size(), 4U) << v;
  }
  EXPECT_EQ(spanning::count_components(g), 1U);
}

TEST(generators, torus_with_short_sides_repeats_no_edge) {
  EXPECT_TRUE(make_torus(1, 1).edges.empty());
  EXPECT_EQ(make_torus(1, 2).edges, (std::vector<edge>{{0, 1}}));
  EXPECT_EQ(make_torus(2, 2).edges.size(), 4U);
  EXPECT_EQ(make_torus(1, 5).edges.size(), 5U);
}

TEST(generators, rmat_is_skewed) {
  const edge_list list = make_rmat(10, 16, 1);
  EXPECT_EQ(list.num_vertices, 1024U);
  EXPECT_EQ(list.edges.size(), 16'384U);
  EXPECT_TRUE(ends_are_vertices(list));
  const graph g(list);
  std::size_t largest = 0;
  for (spanning::vertex v = 0; v < 1024; ++v) {
    largest = std::max(largest, g.neighbours(v).size());
  }
  EXPECT_GT(largest, 300U);  // the mean is 32
}

// The share of edges whose two ends fall into each half says which probabilities were drawn: with scale 1 the halves
// are the two vertices, in an order that the seed decides.
TEST(generators, rmat_draws_the_quadrants_with_the_probabilities_of_graph500) {
  std::uint64_t within_first = 0;
  std::uint64_t within_second = 0;
  const edge_list list = make_rmat(1, 50'000, 1);
  for (const edge& e : list.edges) {
    within_first += static_cast<std::uint64_t>(e.a == 0 && e.b == 0);
    within_second += static_cast<std::uint64_t>(e.a == 1 && e.b == 1);
  }
  const auto [few, many] = std::minmax(within_first, within_second);
  EXPECT_NEAR(static_cast<double>(many), 57'000, 800);  // more than five standard deviations
  EXPECT_NEAR(static_cast<double>(few), 5'000, 400);
}

TEST(generators, refuse_what_cannot_be_made) {
  EXPECT_THROW((void)make_random(1, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)make_random(std::uint64_t{1} << 32, 0, 1), std::invalid_argument);
  EXPECT_THROW((void)make_torus(0, 3), std::invalid_argument);
  EXPECT_THROW((void)make_torus(UINT64_MAX, UINT64_MAX), std::invalid_argument);
  EXPECT_THROW((void)make_rmat(32, 1, 1), std::invalid_argument);
  EXPECT_THROW((void)make_rmat(10, UINT64_MAX, 1), std::invalid_argument);
}

TEST(generators, smallest_graphs) {
  EXPECT_TRUE(make_random(0, 0, 1).edges.empty());
  EXPECT_EQ(make_random(1, 0, 1).num_vertices, 1U);
  EXPECT_EQ(make_rmat(0, 2, 1).edges, (std::vector<edge>{{0, 0}, {0, 0}}));
}

}  // namespace
