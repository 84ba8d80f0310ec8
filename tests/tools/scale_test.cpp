// SPDX-License-Identifier: Apache-2.0
// What protocols cost at many places is what their pages say: exact counts, and as many messages one after the other.
#include "scale/operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace {

using scale::operation;
using scale::outcome;

constexpr scale::costs k_hops{};
constexpr scale::costs k_cluster{.latency = 2000, .send = 100, .receive = 200};

int rounds_of(int places) {
  int rounds = 0;
  for (int reached = 1; reached < places; reached *= 2) ++rounds;
  return rounds;
}

// Of a tree in which each place has up to four below it.
int depth_of(int places) {
  int depth = 0;
  for (int level = 1, reached = 1; reached < places; reached += level) {
    level *= 4;
    ++depth;
  }
  return depth;
}

class scale_test : public testing::TestWithParam<int> {
protected:
  [[nodiscard]] static int places() { return GetParam(); }
  [[nodiscard]] static std::uint64_t others() { return static_cast<std::uint64_t>(GetParam() - 1); }
};

INSTANTIATE_TEST_SUITE_P(places, scale_test, testing::Values(2, 3, 4, 7, 22, 65),
                         [](const auto& p) { return "of_" + std::to_string(p.param); });

TEST_P(scale_test, finish_takes_a_task_and_a_report_for_each_place) {
  const outcome seen = scale::cost_of(operation::finish, places(), k_hops);
  EXPECT_EQ(seen.messages, 2 * others());
  EXPECT_EQ(seen.at_busiest, 2 * others());
  EXPECT_EQ(seen.time, 2);
}

TEST_P(scale_test, a_task_that_goes_round_is_reported_by_each_place) {
  const outcome seen = scale::cost_of(operation::round, places(), k_hops);
  EXPECT_EQ(seen.messages, 2 * others());
  EXPECT_EQ(seen.time, places());
}

TEST_P(scale_test, at_each_goes_down_a_tree_of_four_and_up) {
  const outcome seen = scale::cost_of(operation::at_each, places(), k_hops);
  EXPECT_EQ(seen.messages, 2 * others());
  EXPECT_EQ(seen.time, 2 * depth_of(places()));
}

TEST_P(scale_test, barrier_is_dissemination) {
  const outcome seen = scale::cost_of(operation::barrier, places(), k_hops);
  const int rounds = rounds_of(places());
  EXPECT_EQ(seen.messages, static_cast<std::uint64_t>(rounds) * static_cast<std::uint64_t>(places()));
  EXPECT_EQ(seen.at_busiest, 2U * static_cast<std::uint64_t>(rounds));
  EXPECT_EQ(seen.time, rounds);
}

// What an idle place tells, the question, the answer, the verdict, that it is known, and that tasks go on.
TEST_P(scale_test, verdict_takes_six_messages_for_each_place) {
  const outcome seen = scale::cost_of(operation::verdict, places(), k_hops);
  EXPECT_EQ(seen.messages, 6 * others());
  EXPECT_EQ(seen.at_busiest, 6 * others());
  EXPECT_EQ(seen.time, 6);
}

// It has sent all before it takes the first report, or waits for that one; then one comes after the other.
TEST_P(scale_test, time_of_a_finish_is_that_of_place_0) {
  const outcome seen = scale::cost_of(operation::finish, places(), k_cluster);
  const auto n = static_cast<std::int64_t>(others());
  const std::int64_t first_report = 2 * (k_cluster.send + k_cluster.latency) + k_cluster.receive;
  EXPECT_EQ(seen.time, std::max(n * k_cluster.send, first_report) + n * k_cluster.receive);
}

TEST(scale_same_test, each_run_has_the_same_cost) {
  for (const operation what : {operation::at_each, operation::barrier, operation::verdict}) {
    const outcome first = scale::cost_of(what, 9, k_cluster);
    for (int i = 0; i < 3; ++i) {
      const outcome again = scale::cost_of(what, 9, k_cluster);
      EXPECT_EQ(again.time, first.time);
      EXPECT_EQ(again.messages, first.messages);
      EXPECT_EQ(again.at_busiest, first.at_busiest);
    }
  }
}

}  // namespace
