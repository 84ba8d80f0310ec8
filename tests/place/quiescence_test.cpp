// SPDX-License-Identifier: Apache-2.0
// The ledger of a run: when nothing runs and nothing is under way (docs/protocols/quiescence.md).
#include "place/quiescence.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace {

using tactus::detail::quiescence;
using counts = std::vector<std::int64_t>;                     // for each place
using messages = std::vector<std::pair<int, std::uint64_t>>;  // to places

// Each place counts at first, as if something was under way to it.
TEST(quiescence, is_found_when_all_places_have_told) {
  quiescence q(2);
  EXPECT_FALSE(q.all_zero());
  EXPECT_FALSE(q.apply(0, counts{0, 0}, 1, 0));
  EXPECT_TRUE(q.apply(1, counts{0, 0}, 1, 0));
  EXPECT_TRUE(q.all_zero());
}

TEST(quiescence, is_not_there_while_something_is_under_way) {
  quiescence q(2);
  static_cast<void>(q.apply(0, counts{0, 0}, 1, 0));
  EXPECT_FALSE(q.apply(1, counts{2, 0}, 1, 0));
  EXPECT_FALSE(q.apply(0, counts{0, 0}, 1, 0)) << "of two that were sent one was taken";
  EXPECT_TRUE(q.apply(0, counts{0, 0}, 1, 0));
  q.sent_from_outside(1);
  EXPECT_FALSE(q.all_zero());
  EXPECT_TRUE(q.apply(1, counts{0, 0}, 1, 0));
}

TEST(quiescence, may_hear_of_what_was_taken_before_what_was_sent) {
  quiescence q(2);
  EXPECT_FALSE(q.apply(1, counts{0, 0}, 4, 0));
  EXPECT_TRUE(q.apply(0, counts{0, 3}, 1, 0));
}

TEST(quiescence, is_found_by_messages_as_well) {
  quiescence q(3);
  EXPECT_FALSE(q.apply(1, messages{{2, 5}}, 1));
  EXPECT_FALSE(q.apply(2, messages{{0, 1}}, 6));
  EXPECT_TRUE(q.apply(0, messages{}, 2));
}

TEST(quiescence, knows_how_often_foreign_threads_have_reached_each_place) {
  quiescence q(2);
  EXPECT_TRUE(q.has_told(1, 0));
  static_cast<void>(q.apply(1, counts{0, 0}, 1, 3));
  EXPECT_TRUE(q.has_told(1, 3));
  EXPECT_FALSE(q.has_told(1, 2));
  EXPECT_FALSE(q.has_told(1, 4));
  EXPECT_TRUE(q.has_told(0, 0));
}

}  // namespace
