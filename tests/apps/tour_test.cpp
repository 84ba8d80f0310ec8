// SPDX-License-Identifier: Apache-2.0
// The stops of the tour: what their checks see, and the tour where the system has no threads for one.
#include "meetings.hpp"
#include "rounds.hpp"
#include "updates.hpp"

#include "support/few_threads.hpp"
#include "support/scale.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <string>
#include <system_error>
#include <vector>

namespace {

class tour_without_threads : public testing::Test {
protected:
  void SetUp() override {
    if (support::k_sanitized) GTEST_SKIP() << "sanitizers start threads themselves";
  }
  void TearDown() override { support::g_threads_left = INT_MAX; }
};

TEST_F(tour_without_threads, meetings_of_threads_end_and_say_so) {
  const tour::meeting_form meet = tour::meetings_std_thread();
  for (int threads = 0; threads < 8; ++threads) {
    tour::rumour r(8, 20);
    support::g_threads_left = threads;
    try {
      meet(r);
      ADD_FAILURE() << "eight tasks met with " << threads << " threads";
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::resource_unavailable_try_again);
    }
  }
  support::g_threads_left = INT_MAX;
  tour::rumour r(8, 20);
  meet(r);
  EXPECT_EQ(r.end, r.expected());
}

TEST_F(tour_without_threads, a_form_that_cannot_be_had_is_left_out_of_the_table) {
  tour::rumour r(8, 20);
  std::vector<tour::contestant> all;
  all.push_back({.name = "ours", .pass = [] {}});
  all.push_back({.name = "theirs", .pass = [&r, meet = tour::meetings_std_thread()] { meet(r); }});
  support::g_threads_left = 5;
  measure(all, "ours", 1);
  testing::internal::CaptureStdout();
  print(all, "ours", "a wait");
  const std::string table = testing::internal::GetCapturedStdout();
  EXPECT_NE(table.find("theirs"), std::string::npos) << table;
  EXPECT_NE(table.find("left out: the system has not the threads for it"), std::string::npos) << table;
  EXPECT_NE(table.find(" ns a wait     1.0 x\n"), std::string::npos) << table;
}

TEST(tour_updates, every_form_has_put_all_numbers_in_where_they_belong) {
  for (const int places : {1, 2, 3}) {
    const std::size_t updates = 600;
    const std::uint64_t right = tour::right_once(places, updates / static_cast<std::size_t>(places));
    for (const tour::update_form& put : {tour::updates_one_by_one(places), tour::updates_gathered(places)}) {
      const tour::seen table = put(updates);
      EXPECT_EQ(table.once, right) << places << " places";
      EXPECT_EQ(table.wrong, 0u);
    }
  }
  const tour::seen table = tour::updates_plainly()(600);
  EXPECT_EQ(table.once, tour::right_once(1, 600));
  EXPECT_EQ(table.wrong, 0u);
}

TEST(tour_updates, a_form_that_delivers_nothing_or_not_all_is_not_right) {
  const std::uint64_t right = tour::right_once(2, 600);
  for (const std::size_t delivered : {0U, 1U, 599U}) {
    EXPECT_NE(tour::right_once(2, delivered), right);
  }
}

}  // namespace
