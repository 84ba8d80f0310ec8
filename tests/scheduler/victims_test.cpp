// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/impl/rng.hpp>

#include "scheduler/victims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace {

using tactus::detail::rng;
using tactus::detail::victims;

std::vector<std::size_t> order_of(const victims& v, rng& random) {
  std::vector<std::size_t> order;
  v.first_of(random, [&order](std::size_t worker) {
    order.push_back(worker);
    return false;
  });
  return order;
}

TEST(victims_test, are_visited_each_once_and_nearest_first) {
  const std::vector<std::size_t> distances = {2, 0, 1, 2, 1, 0, 3};
  const victims v(distances);
  rng random(7);
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::size_t> order = order_of(v, random);
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), distances.size());
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end(),
                               [&](std::size_t a, std::size_t b) { return distances[a] < distances[b]; }));
  }
}

TEST(victims_test, equally_near_ones_come_first_equally_often) {
  const victims v(4);
  rng random(7);
  std::vector<int> first(4, 0);
  for (int i = 0; i < 4'000; ++i) ++first[order_of(v, random).front()];
  for (const int times : first) EXPECT_NEAR(times, 1'000, 150);
}

TEST(victims_test, a_search_ends_at_what_it_finds) {
  const victims v(std::vector<std::size_t>{1, 0, 2});
  rng random(7);
  std::vector<std::size_t> order;
  const auto found = v.first_of(random, [&order](std::size_t worker) {
    order.push_back(worker);
    return worker == 0 ? std::optional<std::size_t>(worker) : std::nullopt;
  });
  EXPECT_EQ(found, 0u);
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 0}));
}

TEST(victims_test, of_one_worker_are_the_worker_itself) {
  rng random(7);
  EXPECT_EQ(order_of(victims(1), random), std::vector<std::size_t>{0});
}

}  // namespace
