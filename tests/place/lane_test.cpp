// SPDX-License-Identifier: Apache-2.0
// Room from one place to another: who gets it, and who waits.
#include "place/lane.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using tactus::detail::lane;

class lane_test : public testing::Test {
protected:
  static constexpr std::int64_t k_window = 400;
  lane_test() { lane_.open(k_window); }

  lane::waiter waiting_for(std::int64_t bytes) {
    lane::waiter w;
    w.bytes = bytes;
    return w;
  }

  // In the order in which they go on.
  std::vector<std::int64_t> give(std::int64_t bytes) {
    std::vector<std::int64_t> sizes;
    for (lane::waiter* w = lane_.give(bytes); w != nullptr; w = w->behind) sizes.push_back(w->bytes);
    return sizes;
  }

  lane lane_;
};

using sizes = std::vector<std::int64_t>;

TEST_F(lane_test, gives_what_is_free) {
  EXPECT_TRUE(lane_.try_take(150));
  EXPECT_TRUE(lane_.try_take(250));
  EXPECT_FALSE(lane_.try_take(1));
  EXPECT_EQ(give(10), sizes());
  EXPECT_TRUE(lane_.try_take(10));
}

TEST_F(lane_test, lets_as_many_go_on_as_fit_the_first_first) {
  ASSERT_TRUE(lane_.try_take(k_window));
  lane::waiter first = waiting_for(100);
  lane::waiter second = waiting_for(100);
  lane::waiter third = waiting_for(150);
  for (lane::waiter* w : {&first, &second, &third}) EXPECT_TRUE(lane_.take_or_wait(*w));
  EXPECT_EQ(give(90), sizes());
  EXPECT_EQ(give(120), (sizes{100, 100}));
  EXPECT_EQ(give(150), sizes{150});
}

TEST_F(lane_test, gives_room_for_as_many_as_there_is) {
  EXPECT_EQ(lane_.try_take_for(3, 50), 3);
  EXPECT_EQ(lane_.try_take_for(9, 100), 2);  // of 250
  EXPECT_EQ(lane_.try_take_for(9, 100), 0);
  lane::waiter w = waiting_for(100);
  EXPECT_TRUE(lane_.take_or_wait(w));
  EXPECT_EQ(lane_.try_take_for(1, 10), 0);  // though there is room for so little
}

TEST_F(lane_test, keeps_who_comes_behind_who_waits) {
  ASSERT_TRUE(lane_.try_take(350));
  lane::waiter large = waiting_for(100);
  EXPECT_TRUE(lane_.take_or_wait(large));
  EXPECT_FALSE(lane_.try_take(10));  // though there is room for so little
  EXPECT_EQ(give(50), sizes{100});
  EXPECT_EQ(give(100), sizes());
  EXPECT_TRUE(lane_.try_take(10));
}

TEST_F(lane_test, looks_again_before_it_lets_wait) {
  lane::waiter w = waiting_for(100);
  EXPECT_FALSE(lane_.take_or_wait(w));
  EXPECT_TRUE(lane_.try_take(300));
  EXPECT_FALSE(lane_.try_take(1));
}

TEST_F(lane_test, a_message_larger_than_the_window_goes_when_three_quarters_are_free) {
  ASSERT_TRUE(lane_.try_take(101));
  EXPECT_FALSE(lane_.try_take(1000));
  EXPECT_EQ(give(1), sizes());
  EXPECT_TRUE(lane_.try_take(1000));
  EXPECT_EQ(give(100), sizes());
  EXPECT_FALSE(lane_.try_take(1));  // it has to be given back first
  EXPECT_EQ(give(1000), sizes());
  EXPECT_TRUE(lane_.try_take(k_window));
}

}  // namespace
