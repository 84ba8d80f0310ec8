// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using spanning::edge_list;
using spanning::graph;
using spanning::vertex;

std::vector<vertex> neighbours(const graph& g, vertex v) {
  const auto near = g.neighbours(v);
  return {near.begin(), near.end()};
}

TEST(graph, has_each_edge_at_both_ends_in_the_order_of_the_list) {
  const graph g(edge_list{.num_vertices = 4, .edges = {{0, 1}, {2, 0}, {3, 1}, {0, 3}}, .ids = {}});
  EXPECT_EQ(g.num_vertices(), 4U);
  EXPECT_EQ(g.num_edges(), 4U);
  EXPECT_EQ(neighbours(g, 0), (std::vector<vertex>{1, 2, 3}));
  EXPECT_EQ(neighbours(g, 1), (std::vector<vertex>{0, 3}));
  EXPECT_EQ(neighbours(g, 2), (std::vector<vertex>{0}));
  EXPECT_EQ(neighbours(g, 3), (std::vector<vertex>{1, 0}));
}

TEST(graph, drops_self_loops_and_keeps_repeated_edges) {
  const graph g(edge_list{.num_vertices = 3, .edges = {{0, 0}, {0, 1}, {1, 0}, {2, 2}}, .ids = {}});
  EXPECT_EQ(g.num_edges(), 2U);
  EXPECT_EQ(neighbours(g, 0), (std::vector<vertex>{1, 1}));
  EXPECT_TRUE(neighbours(g, 2).empty());
}

TEST(graph, may_be_empty) {
  EXPECT_EQ(graph().num_vertices(), 0U);
  EXPECT_EQ(graph(edge_list{}).num_vertices(), 0U);
  EXPECT_EQ(graph(edge_list{}).num_edges(), 0U);
}

}  // namespace
