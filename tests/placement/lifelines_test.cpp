// SPDX-License-Identifier: Apache-2.0
// What becomes of tasks that come where every worker runs something long (docs/protocols/placement.md, rule c). Of two places each asks the other.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "placement/policy_host.hpp"

namespace {

using support::move_cause;
using support::placement_event;
using support::policy_host;
using tactus::placement_policy;

constexpr const char* k_gives = "give 1 x1 interleaved lifeline";
constexpr std::int64_t k_move = 5'000;  // an answer and a move

class passing_through : public testing::Test {
protected:
  policy_host place{placement_policy::hybrid, {.here = 0, .places = 2}};

  void SetUp() override {
    place.let_time_pass();
    place.view.flexible = 0;
  }

  // The other place waits here, on behalf of somebody else perhaps, and a task comes.
  std::string a_task_comes() {
    place.on(placement_event::wanted, 1);
    place.view.flexible = 1;
    return place.arrived(1, move_cause::lifeline);
  }

  void a_task_passes_through() {
    if (a_task_comes().empty()) {
      place.view.now = place.interest().poll_at;
      EXPECT_EQ(place.on(placement_event::polled), k_gives);
    }
    place.view.flexible = 0;
  }
};

TEST_F(passing_through, goes_on_at_once_and_then_at_longer_and_longer_intervals) {
  EXPECT_EQ(a_task_comes(), k_gives);
  place.view.flexible = 0;
  for (const std::int64_t interval : {4 * k_move, 16 * k_move, 64 * k_move}) {
    EXPECT_EQ(a_task_comes(), "");
    EXPECT_EQ(place.interest().poll_at, place.view.now + interval);
    place.view.now += interval - 1;
    EXPECT_EQ(place.on(placement_event::polled), "");
    ++place.view.now;
    EXPECT_EQ(place.on(placement_event::polled), k_gives);
    place.view.flexible = 0;
  }
}

TEST_F(passing_through, what_rests_is_given_to_who_asks) {
  a_task_passes_through();
  EXPECT_EQ(a_task_comes(), "");
  EXPECT_EQ(place.asked(1, 9), "give 1 x1 #9 interleaved asked");
}

TEST_F(passing_through, what_is_spawned_does_not_rest) {
  a_task_passes_through();
  EXPECT_EQ(a_task_comes(), "");
  place.view.flexible = 2;
  EXPECT_EQ(place.spawned(0), k_gives);
}

TEST_F(passing_through, a_worker_that_takes_a_task_ends_the_rest) {
  for (int i = 0; i < 3; ++i) a_task_passes_through();
  EXPECT_EQ(a_task_comes(), "");
  place.view.last_taken = place.view.now;
  EXPECT_EQ(place.interest().poll_at, place.view.now + 4 * k_move + 1);  // as of any task while the place is fresh
  place.view.now = place.interest().poll_at;
  EXPECT_EQ(place.on(placement_event::polled), k_gives);
}

TEST_F(passing_through, what_comes_for_an_idle_worker_does_not_count) {
  place.view.idle = 1;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(a_task_comes(), "");
    place.view.flexible = 2;
    EXPECT_EQ(place.on(placement_event::polled), k_gives);
    place.view.flexible = 0;
  }
  EXPECT_EQ(a_task_comes(), "");
  place.view.idle = 0;  // its worker has found something else
  EXPECT_EQ(place.on(placement_event::polled), k_gives);
}

TEST_F(passing_through, a_rest_does_not_outgrow_the_clock) {
  place.view.rtt = std::int64_t{1} << 50;
  place.view.last_taken = 0;
  place.view.now = std::int64_t{1} << 56;
  for (int i = 0; i < 40; ++i) {
    a_task_passes_through();
    ASSERT_GT(place.view.now, 0);
  }
}

}  // namespace
