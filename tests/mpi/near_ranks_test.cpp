// SPDX-License-Identifier: Apache-2.0
// Which ranks are near each other.
#include "mpi/near_ranks.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tactus::detail {
namespace {

int group_of(const std::vector<std::uint64_t>& machines) { return near_group_of(machines); }

TEST(near_ranks, are_those_of_a_machine_where_each_has_as_many_that_follow_each_other) {
  EXPECT_EQ(group_of({7, 7, 8, 8}), 2);
  EXPECT_EQ(group_of({7, 7, 7, 8, 8, 8, 9, 9, 9}), 3);
  EXPECT_EQ(group_of({7, 7, 7, 8, 8}), 3);
}

TEST(near_ranks, are_none_on_one_machine_or_with_one_on_each) {
  EXPECT_EQ(group_of({7}), 1);
  EXPECT_EQ(group_of({7, 7, 7}), 1);
  EXPECT_EQ(group_of({7, 8, 9}), 1);
}

TEST(near_ranks, are_none_where_they_are_spread_otherwise) {
  EXPECT_EQ(group_of({7, 8, 7, 8}), 1);
  EXPECT_EQ(group_of({7, 7, 8, 8, 8}), 1);
  EXPECT_EQ(group_of({7, 7, 8, 9}), 1);
  EXPECT_EQ(group_of({7, 7, 8, 9, 9}), 1);
  EXPECT_EQ(group_of({7, 8, 8, 9, 9}), 1);
}

}  // namespace
}  // namespace tactus::detail
