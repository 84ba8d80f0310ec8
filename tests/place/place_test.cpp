// SPDX-License-Identifier: Apache-2.0
#include <tactus/place/place.hpp>

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

#include "place/messages.hpp"

namespace {

using tactus::place;

TEST(place, is_place_0_by_default) { EXPECT_EQ(place().id(), 0); }

TEST(place, is_copied_as_its_bytes) { static_assert(std::is_trivially_copyable_v<place>); }

TEST(place, is_ordered_by_its_number) {
  EXPECT_EQ(place(3), place(3));
  EXPECT_NE(place(3), place(4));
  EXPECT_LT(place(3), place(4));
}

TEST(place, is_a_key_of_unordered_containers) {
  const std::unordered_set<place> some{place(0), place(1), place(0)};
  EXPECT_EQ(some.size(), 2u);
}

TEST(place, is_named_by_its_number) { EXPECT_EQ(to_string(place(12)), "place 12"); }

TEST(place, travels_between_machines_of_either_byte_order) {
  EXPECT_EQ(messages::sent(place(258)), place(258));
  EXPECT_EQ(messages::sent_over(place(258)), place(258));
}

}  // namespace
