// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using spanning::edge_list;
using spanning::graph;
using spanning::k_no_vertex;
using spanning::vertex;

// A square 0-1-2-3 with the diagonal 0-2, a pair 4-5, and 6 alone.
graph example() {
  return graph(edge_list{.num_vertices = 7, .edges = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {4, 5}}, .ids = {}});
}

std::string problem_of(const std::vector<vertex>& parent) {
  return spanning::verify_forest(example(), parent, 3).problem;
}

TEST(verify, counts_components) {
  EXPECT_EQ(spanning::count_components(example()), 3U);
  EXPECT_EQ(spanning::count_components(graph()), 0U);
}

TEST(verify, accepts_spanning_forests) {
  EXPECT_EQ(problem_of({0, 0, 0, 0, 4, 4, 6}), "");
  EXPECT_EQ(problem_of({3, 0, 1, 3, 5, 5, 6}), "");
  EXPECT_EQ(spanning::verify_forest(example(), std::vector<vertex>{0, 0, 0, 0, 4, 4, 6}, 3).num_trees, 3U);
  EXPECT_TRUE(spanning::verify_forest(graph(), {}, 0).ok());
}

TEST(verify, refuses_a_vertex_without_parent) {
  EXPECT_EQ(problem_of({0, 0, 0, k_no_vertex, 4, 4, 6}), "vertex 3 has no parent");
}

TEST(verify, refuses_a_parent_that_is_no_neighbour) {
  EXPECT_EQ(problem_of({0, 3, 0, 0, 4, 4, 6}), "the parent of vertex 1, 3, is not its neighbour");
  EXPECT_EQ(problem_of({0, 0, 0, 0, 4, 4, 1'000'000}), "the parent of vertex 6, 1000000, is not its neighbour");
}

TEST(verify, refuses_cycles) {
  EXPECT_EQ(problem_of({1, 2, 3, 0, 4, 4, 6}), "the edge from vertex 3 to its parent 0 closes a cycle");
  EXPECT_EQ(problem_of({0, 0, 0, 0, 5, 4, 6}), "the edge from vertex 5 to its parent 4 closes a cycle");
}

TEST(verify, refuses_two_trees_in_one_component) {
  EXPECT_EQ(problem_of({0, 0, 2, 2, 4, 4, 6}), "4 trees for 3 components");
}

TEST(verify, refuses_a_forest_of_another_size) { EXPECT_EQ(problem_of({0, 0, 0}), "3 parents for 7 vertices"); }

}  // namespace
