// SPDX-License-Identifier: Apache-2.0
// What is found out about the clocks of other processes, by questions whose delays are invented.
#include "trace/timeline_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>

namespace {

using tactus::detail::clock_comparison;
using tactus::detail::clock_map;
using tactus::detail::clock_point;
using tactus::detail::file_time;

// A clock that is ahead of the true time, and gains on it.
struct clock {
  std::int64_t ahead;
  std::int64_t gains;  // ns in a second

  [[nodiscard]] std::int64_t at(std::int64_t time) const { return time + ahead + time / 1000 * gains / 1'000'000; }
};

// Compares at that time. Each way takes 2 us at least, and now and then very long.
clock_comparison compare(std::int64_t begin, const clock& here, const clock& there, std::mt19937_64& random,
                         int questions = 16) {
  std::exponential_distribution<double> more(1.0 / 20'000);
  const auto way = [&] { return 2'000 + static_cast<std::int64_t>(more(random)); };
  clock_comparison found;
  std::int64_t now = begin;
  for (int i = 0; i < questions; ++i) {
    const std::int64_t asked = now;
    const std::int64_t answered = asked + way();
    now = answered + way();
    found.add(here.at(asked), there.at(answered), here.at(now));
  }
  return found;
}

TEST(timeline_clock_test, of_several_answers_the_quickest_counts) {
  clock_comparison found;
  found.add(1'000, 501'500, 4'000);
  found.add(5'000, 505'060, 5'100);
  found.add(6'000, 509'000, 9'000);
  EXPECT_EQ(found.best().at, 5'050);
  EXPECT_EQ(found.best().ahead, 500'010);
  EXPECT_EQ(found.uncertainty(), 50);
  EXPECT_FALSE(found.may_be_the_same());
}

TEST(timeline_clock_test, an_answer_between_question_and_hearing_may_be_of_the_same_clock) {
  clock_comparison found;
  found.add(1'000, 1'990, 2'000);
  EXPECT_TRUE(found.may_be_the_same());
  clock_comparison before;
  before.add(1'000, 999, 2'000);
  EXPECT_FALSE(before.may_be_the_same());
  clock_comparison after;
  after.add(1'000, 2'001, 2'000);
  EXPECT_FALSE(after.may_be_the_same());
}

TEST(timeline_clock_test, what_is_found_is_wrong_by_half_a_round_trip_at_most) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 1000; ++round) {
    const clock here{0, 0};
    const clock there{static_cast<std::int64_t>(random() % 2'000'000'000'000) - 1'000'000'000'000, 0};
    const clock_comparison found = compare(round * 1'000'000, here, there, random);
    EXPECT_LE(std::abs(found.best().ahead - there.ahead), found.uncertainty() + 1) << round;
  }
}

TEST(timeline_clock_test, between_two_comparisons_a_clock_that_gains_is_told_as_well_as_at_them) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 300; ++round) {
    const clock here{0, 0};
    const clock there{static_cast<std::int64_t>(random() % 1'000'000'000'000),
                      static_cast<std::int64_t>(random() % 200'000) - 100'000};  // to 100 millionths
    const std::int64_t end = 1'000'000 + static_cast<std::int64_t>(random() % 100'000'000'000);
    const clock_comparison first = compare(0, here, there, random);
    const clock_comparison last = compare(end, here, there, random);
    const clock_map to_here(first.best(), last.best());
    const std::int64_t most =
        std::max(first.uncertainty(), last.uncertainty()) + 20;  // the clocks are in whole numbers
    for (int i = 0; i <= 10; ++i) {
      const std::int64_t time = end / 10 * i;
      EXPECT_LE(std::abs(to_here.here(there.at(time)) - time), most) << round << ' ' << i;
    }
  }
}

TEST(timeline_clock_test, without_the_second_comparison_that_clock_would_be_wrong) {
  std::mt19937_64 random(9);
  const clock here{0, 0};
  const clock there{5'000'000, 100'000};
  const clock_comparison first = compare(0, here, there, random);
  const std::int64_t time = 10'000'000'000;
  EXPECT_GT(std::abs(clock_map(first.best(), first.best()).here(there.at(time)) - time), 900'000);
}

TEST(timeline_clock_test, what_is_later_by_one_clock_is_not_earlier_by_the_other) {
  const clock_map map(clock_point{0, 1'000}, clock_point{1'000'000, 31'000});
  std::int64_t last = map.here(0);
  for (std::int64_t there = 1; there < 100'000; ++there) {
    EXPECT_GE(map.here(there), last);
    last = map.here(there);
  }
}

TEST(timeline_clock_test, two_comparisons_at_one_time_make_no_clock_that_gains) {
  const clock_map map(clock_point{100, 7}, clock_point{100, 7});
  EXPECT_EQ(map.here(1'000'007), 1'000'000);
}

TEST(timeline_clock_test, no_time_in_a_file_is_before_its_begin) {
  const file_time time{clock_map(clock_point{0, 50}, clock_point{100, 50}), 1'000, 2'000};
  EXPECT_EQ(time(0), 0);
  EXPECT_EQ(time(1'100), 50);
}

}  // namespace
