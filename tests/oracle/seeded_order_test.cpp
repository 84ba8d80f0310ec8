// SPDX-License-Identifier: Apache-2.0
// The seeded scheduler: a seed is an interleaving.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

namespace ts = tactus;

namespace {

constexpr int k_most_workers = 16;

// Each seed is a runtime of its own, which is slow to make under ThreadSanitizer.
constexpr std::uint64_t k_seeds = support::k_tsan ? 100 : 1000;

// In which order the steps of four tasks come: A to D begin, a to d end.
std::string order(std::uint64_t seed, int workers) {
  std::string steps;
  ts::run(ts::config{.threads = workers, .seed = seed, .env = false}, [&] {
    for (char task = 'A'; task < 'E'; ++task) {
      ts::async([&steps, task] {
        steps += task;
        ts::yield();
        steps += static_cast<char>(task - 'A' + 'a');
      });
    }
  });
  return steps;
}

class seeded_order_test : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(workers, seeded_order_test, testing::Range(1, k_most_workers + 1),
                         [](const auto& chosen) { return std::to_string(chosen.param); });

TEST_P(seeded_order_test, one_seed_gives_one_order) {
  for (std::uint64_t seed = 1; seed <= support::scaled(100); ++seed) {
    const std::string once = order(seed, GetParam());
    ASSERT_EQ(once.size(), 8u) << "seed " << seed;
    ASSERT_EQ(order(seed, GetParam()), once) << "seed " << seed;
  }
}

TEST(seeded_orders_test, a_thousand_seeds_show_at_least_twenty_orders_of_four_tasks) {
  for (const int workers : {1, 2, 3, k_most_workers}) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) seen.insert(order(seed, workers));
    EXPECT_GE(seen.size(), 20u) << workers << " virtual workers";
  }
}

}  // namespace
