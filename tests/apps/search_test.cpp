// SPDX-License-Identifier: Apache-2.0
#include "generators.hpp"
#include "measure.hpp"
#include "verify.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace {

using spanning::edge_list;
using spanning::graph;
using spanning::measure;
using spanning::measurement;
using spanning::outcome;
using spanning::version;
using spanning::vertex;

class search : public testing::TestWithParam<std::tuple<version, int>> {
protected:
  // Runs the version several times and leaves the judgement to verify_forest.
  static void expect_forest(const edge_list& list) {
    const graph g(list);
    const auto [what, threads] = GetParam();
    std::vector<vertex> parent;
    const measurement m = measure(what, g, spanning::count_components(g), {.threads = threads, .reps = 3}, parent);
    EXPECT_EQ(m.result, outcome::ok) << m.message;
    EXPECT_EQ(m.seconds.size(), 3U);
  }
};

TEST_P(search, finds_nothing_in_an_empty_graph) { expect_forest({}); }

TEST_P(search, labels_isolated_vertices_as_roots) { expect_forest({.num_vertices = 1000, .edges = {}, .ids = {}}); }

TEST_P(search, gives_each_of_many_small_components_one_tree) {
  edge_list list{.num_vertices = 3000, .edges = {}, .ids = {}};
  for (vertex v = 0; v < 3000; v += 3) {
    list.edges.push_back({v, v + 2});
    list.edges.push_back({v + 2, v + 1});
  }
  expect_forest(list);
}

// Sizes around that at which tasks take over.
TEST_P(search, spans_paths_and_stars_of_every_size_up_to_a_hundred) {
  edge_list list;
  for (vertex size = 1; size <= 100; ++size) {
    const auto path = static_cast<vertex>(list.num_vertices);
    const vertex star = path + size;
    for (vertex i = 1; i < size; ++i) {
      list.edges.push_back({path + i - 1, path + i});
      list.edges.push_back({star, star + i});
    }
    list.num_vertices += 2 * std::uint64_t{size};
  }
  expect_forest(list);
}

TEST_P(search, spans_a_sparse_random_graph_of_many_components) { expect_forest(spanning::make_random(2000, 1500, 1)); }

TEST_P(search, spans_a_dense_random_graph) { expect_forest(spanning::make_random(1000, 20'000, 2)); }

TEST_P(search, spans_a_torus) { expect_forest(spanning::make_torus(30, 40)); }

TEST_P(search, spans_a_skewed_graph) { expect_forest(spanning::make_rmat(10, 8, 3)); }

INSTANTIATE_TEST_SUITE_P(every_version, search,
                         testing::Combine(testing::Values(version::serial, version::work_first, version::help_first,
                                                          version::adaptive, version::batched),
                                          testing::Values(1, 2, 8)),
                         [](const auto& named) {
                           return std::string(spanning::name_of(std::get<0>(named.param))) + "_" +
                                  std::to_string(std::get<1>(named.param));
                         });

TEST(measurement, takes_the_median) {
  measurement m;
  EXPECT_EQ(m.median_seconds(), 0);
  m.seconds = {3, 1, 2};
  EXPECT_EQ(m.median_seconds(), 2);
  m.seconds = {4, 1, 2, 3};
  EXPECT_EQ(m.median_seconds(), 2.5);
}

}  // namespace
