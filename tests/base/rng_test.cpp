// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/impl/rng.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace {

using tactus::detail::rng;
using tactus::detail::splitmix64;

static_assert(std::uniform_random_bit_generator<rng>);

// The published first outputs for this seed.
TEST(splitmix64, gives_the_known_sequence) {
  std::uint64_t state = 1234567;
  for (const std::uint64_t known : {6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                    4593380528125082431U, 16408922859458223821U}) {
    EXPECT_EQ(splitmix64(state), known);
  }
}

// Worked out by hand from the definition: from (1, 2, 3, 4) the first output is rotl(2 * 5, 7) * 9 = 11520, and so on.
TEST(rng, gives_the_known_sequence_of_its_algorithm) {
  rng draw(std::array<std::uint64_t, 4>{1, 2, 3, 4});
  for (const std::uint64_t known : {11520U, 0U, 1509978240U}) EXPECT_EQ(draw(), known);
  EXPECT_EQ(draw(), 1215971899390074240U);
}

TEST(rng, repeats_for_equal_seeds_and_differs_for_others) {
  rng a(7);
  rng b(7);
  rng c(8);
  int equal_to_c = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto drawn = a();
    EXPECT_EQ(drawn, b());
    equal_to_c += drawn == c() ? 1 : 0;
  }
  EXPECT_EQ(equal_to_c, 0);
}

TEST(rng, takes_seed_zero) {
  rng draw(0);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(draw());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(rng, has_unrelated_streams) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    for (std::uint64_t number = 0; number < 50; ++number) firsts.insert(rng(seed, number)());
  }
  EXPECT_EQ(firsts.size(), 2500U);
}

TEST(rng, goes_on_from_a_saved_state) {
  rng a(3);
  a();
  rng b(a.state());
  EXPECT_EQ(a, b);
  EXPECT_EQ(a(), b());
}

TEST(rng, below_stays_below) {
  rng draw(11);
  for (const std::uint64_t bound : {1ULL, 2ULL, 3ULL, 10ULL, 1000ULL, 1ULL << 63U, (1ULL << 63U) + 1, ~0ULL}) {
    for (int i = 0; i < 200; ++i) EXPECT_LT(draw.below(bound), bound);
  }
  EXPECT_EQ(draw.below(0), 0U);
}

// With a bound of 3/4 of the range a plain multiplication or remainder would draw some values twice as often:
// a third of the values would get half of the draws.
TEST(rng, below_has_no_bias_for_large_bounds) {
  rng draw(5);
  const std::uint64_t third = 1ULL << 62U;
  std::array<int, 3> hits{};
  constexpr int k_draws = 30'000;
  for (int i = 0; i < k_draws; ++i) ++hits[draw.below(3 * third) / third];
  for (const int hit : hits) EXPECT_NEAR(hit, k_draws / 3.0, 5 * std::sqrt(k_draws * 2.0 / 9));
}

TEST(rng, below_reaches_every_value_evenly) {
  rng draw(17);
  constexpr int k_draws = 100'000;
  std::array<int, 10> hits{};
  for (int i = 0; i < k_draws; ++i) ++hits[draw.below(hits.size())];
  for (const int hit : hits) EXPECT_NEAR(hit, k_draws / 10.0, 5 * std::sqrt(k_draws * 0.09));
}

TEST(rng, chance_is_never_always_or_in_proportion) {
  rng draw(19);
  int hits = 0;
  for (int i = 0; i < 40'000; ++i) {
    EXPECT_FALSE(draw.chance(0, 4));
    EXPECT_TRUE(draw.chance(4, 4));
    hits += draw.chance(1, 4) ? 1 : 0;
  }
  EXPECT_NEAR(hits, 10'000, 5 * std::sqrt(7500.0));
}

TEST(rng, is_usable_at_compile_time) {
  constexpr auto drawn = [] {
    rng draw(1);
    return draw.below(100);
  }();
  static_assert(drawn < 100);
  rng again(1);
  EXPECT_EQ(again.below(100), drawn);
}

TEST(rng, serves_standard_algorithms) {
  std::vector<int> order(100);
  for (int i = 0; i < 100; ++i) order[static_cast<std::size_t>(i)] = i;
  const auto sorted = order;
  std::shuffle(order.begin(), order.end(), rng(23));
  EXPECT_NE(order, sorted);
  std::ranges::sort(order);
  EXPECT_EQ(order, sorted);
}

}  // namespace
