// SPDX-License-Identifier: Apache-2.0
#include "placement/lifeline_graph.hpp"

#include <gtest/gtest.h>

#include "support/scale.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

using tactus::detail::lifelines_of;
using graph = std::vector<std::vector<int>>;

graph lifelines_of_all(int places, int base) {
  graph all;
  for (int here = 0; here < places; ++here) all.push_back(lifelines_of(here, places, base));
  return all;
}

std::size_t reached_from_first(const graph& edges) {
  std::vector<bool> seen(edges.size());
  std::vector<int> to_visit{0};
  seen[0] = true;
  std::size_t reached = 0;
  while (!to_visit.empty()) {
    const int here = to_visit.back();
    to_visit.pop_back();
    ++reached;
    for (const int next : edges[static_cast<std::size_t>(here)]) {
      if (seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      to_visit.push_back(next);
    }
  }
  return reached;
}

bool is_strongly_connected(const graph& edges) {
  graph backwards(edges.size());
  for (std::size_t here = 0; here < edges.size(); ++here) {
    for (const int next : edges[here]) backwards[static_cast<std::size_t>(next)].push_back(static_cast<int>(here));
  }
  return reached_from_first(edges) == edges.size() && reached_from_first(backwards) == edges.size();
}

std::size_t digits(int places, int base) {
  std::size_t n = 0;
  for (long long unit = 1; unit < places; unit *= base) ++n;
  return n;
}

TEST(lifelines, are_the_cyclic_neighbours_of_a_cube) {
  EXPECT_EQ(lifelines_of(0, 16, 4), (std::vector{3, 12}));
  EXPECT_EQ(lifelines_of(5, 16, 4), (std::vector{4, 1}));
  EXPECT_EQ(lifelines_of(6, 8, 2), (std::vector{7, 4, 2}));
}

TEST(lifelines, of_one_place_are_none_and_of_two_lead_to_the_other) {
  EXPECT_TRUE(lifelines_of(0, 1, 4).empty());
  EXPECT_EQ(lifelines_of(0, 2, 4), std::vector{1});
  EXPECT_EQ(lifelines_of(1, 2, 4), std::vector{0});
}

TEST(lifelines, pass_over_places_that_are_not_there) {
  EXPECT_EQ(lifelines_of(0, 6, 4), (std::vector{3, 4}));  // 12 and 8 are not there
  EXPECT_EQ(lifelines_of(4, 6, 4), (std::vector{5, 0}));  // nor are 7 and 6
}

// Rule f: for every number of places, so that a request comes to whoever has tasks. At full scale for each up to 5000.
TEST(lifelines, connect_any_number_of_places_and_are_few) {
  const int each_up_to = static_cast<int>(support::scaled_or_full(1300, 5000));
  for (int places = 1; places <= 5000; places += places < each_up_to ? 1 : 97) {
    const graph edges = lifelines_of_all(places, 4);
    ASSERT_TRUE(is_strongly_connected(edges)) << places;
    for (const auto& of_one : edges) ASSERT_LE(of_one.size(), digits(places, 4)) << places;
  }
}

TEST(lifelines, connect_in_other_bases_too) {
  for (const int base : {2, 3, 8, 64}) {
    for (int places = 1; places <= 300; ++places) {
      ASSERT_TRUE(is_strongly_connected(lifelines_of_all(places, base))) << places << " places, base " << base;
    }
  }
}

TEST(lifelines, never_lead_to_their_own_place_or_twice_to_one) {
  for (int places = 1; places <= 200; ++places) {
    for (int here = 0; here < places; ++here) {
      std::vector<int> to = lifelines_of(here, places, 4);
      ASSERT_EQ(std::ranges::count(to, here), 0);
      std::ranges::sort(to);
      ASSERT_EQ(std::ranges::adjacent_find(to), to.end());
    }
  }
}

}  // namespace
