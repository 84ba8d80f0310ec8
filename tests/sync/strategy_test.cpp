// SPDX-License-Identifier: Apache-2.0
// The strategies of accumulators as values, and the delays of eager_with_delay: phaser-accumulators.txt, section 4.1.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace ts = tactus;

namespace {

constexpr std::uint32_t k_base = 7;
constexpr std::uint32_t k_coef = 3;

std::vector<std::uint64_t> pauses(const ts::strategy& s, std::size_t failures) {
  ts::detail::delay_between_tries delay(s);
  std::vector<std::uint64_t> all(failures);
  for (std::uint64_t& turns : all) turns = delay.turns_after_failure();
  return all;
}

std::vector<std::uint64_t> pauses(ts::delay_function f, std::size_t failures) {
  return pauses(ts::strategy::eager_with_delay(f, k_base, k_coef), failures);
}

TEST(strategy_test, a_linear_delay_grows_by_the_coefficient) {
  EXPECT_EQ(pauses(ts::delay_function::linear, 4), (std::vector<std::uint64_t>{10, 13, 16, 19}));
}

TEST(strategy_test, an_exponential_delay_doubles_ten_times) {
  const std::vector<std::uint64_t> all = pauses(ts::delay_function::exponential, 12);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(all[i], k_base + (std::uint64_t{k_coef} << (i + 1)));
  EXPECT_EQ(all[10], all[9]);
  EXPECT_EQ(all[11], all[9]);
}

TEST(strategy_test, a_constant_delay_stays) {
  EXPECT_EQ(pauses(ts::delay_function::constant, 3), (std::vector<std::uint64_t>{10, 10, 10}));
}

TEST(strategy_test, a_random_delay_differs_from_try_to_try_within_its_range) {
  const std::vector<std::uint64_t> all =
      pauses(ts::strategy::eager_with_delay(ts::delay_function::random, 50, 100), 200);
  for (const std::uint64_t turns : all) {
    EXPECT_GE(turns, 50U);
    EXPECT_LT(turns, 150U);
  }
  EXPECT_GT(std::set(all.begin(), all.end()).size(), 50U);
}

TEST(strategy_test, nobody_else_delays) {
  for (const ts::strategy& s : {ts::strategy::eager, ts::strategy::dynamic_lazy, ts::strategy::fixed_lazy(4),
                                ts::strategy::tree, ts::strategy::per_worker, ts::strategy::automatic}) {
    EXPECT_EQ(pauses(s, 2), (std::vector<std::uint64_t>{0, 0}));
  }
}

TEST(strategy_test, the_usual_delay_is_the_papers) {
  const ts::strategy& s = ts::strategy::eager_with_delay;
  EXPECT_EQ(s.function(), ts::delay_function::random);
  EXPECT_EQ(s.base(), 50U);
  EXPECT_EQ(s.coef(), 100U);
}

TEST(strategy_test, is_equal_to_its_like_only) {
  EXPECT_EQ(ts::strategy::fixed_lazy(4), ts::strategy::fixed_lazy(4));
  EXPECT_NE(ts::strategy::fixed_lazy(4), ts::strategy::fixed_lazy(5));
  EXPECT_NE(ts::strategy::eager, ts::strategy::eager_with_delay);
  EXPECT_NE(ts::strategy::eager_with_delay(ts::delay_function::linear, 1, 2),
            ts::strategy::eager_with_delay(ts::delay_function::linear, 1, 3));
}

}  // namespace
