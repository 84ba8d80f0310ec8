// SPDX-License-Identifier: Apache-2.0
#include "vertex_ids.hpp"

#include <gtest/gtest.h>

namespace {

using spanning::edge;
using spanning::make_ids_dense;
using spanning::vertex;

TEST(vertex_ids, dense_ids_keep_their_numbers) {
  std::vector<edge> edges = {{0, 1}, {1, 2}, {2, 0}};
  EXPECT_EQ(make_ids_dense(edges), (std::vector<vertex>{0, 1, 2}));
  EXPECT_EQ(edges, (std::vector<edge>{{0, 1}, {1, 2}, {2, 0}}));
}

// Ids below twice the number of edges go by a table, others by sorting.
TEST(vertex_ids, table_and_sorting_agree_on_ranks) {
  std::vector<edge> table = {{5, 1}, {1, 3}, {5, 5}};
  std::vector<edge> sorted = {{5000, 1}, {1, 30}, {5000, 5000}};
  EXPECT_EQ(make_ids_dense(table), (std::vector<vertex>{1, 3, 5}));
  EXPECT_EQ(make_ids_dense(sorted), (std::vector<vertex>{1, 30, 5000}));
  EXPECT_EQ(table, sorted);
}

TEST(vertex_ids, takes_the_largest_id) {
  std::vector<edge> edges = {{spanning::k_max_vertices - 1, 0}};
  EXPECT_EQ(make_ids_dense(edges), (std::vector<vertex>{0, spanning::k_max_vertices - 1}));
  EXPECT_EQ(edges, (std::vector<edge>{{1, 0}}));
}

TEST(vertex_ids, no_edges_have_no_ids) {
  std::vector<edge> none;
  EXPECT_TRUE(make_ids_dense(none).empty());
}

}  // namespace
