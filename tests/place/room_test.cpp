// SPDX-License-Identifier: Apache-2.0
// How room at another place comes back (docs/protocols/messages.md).
#include <tactus/tactus.hpp>

#include "place/place_node.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace {
namespace ts = tactus;
namespace td = tactus::detail;

td::lane& to_place_1() { return td::place_node::of(td::current_worker()).lane_to(1); }

// By a task at place 1, as one that has come from place 0 gives back what it took when it begins.
void give_back(std::uint32_t bytes) {
  td::worker* const w = td::current_worker();
  td::place_node::of(w).give_back(w, 0, bytes);
}

class room_test : public testing::TestWithParam<ts::copying> {};

INSTANTIATE_TEST_SUITE_P(copies, room_test, testing::Values(ts::copying::automatic, ts::copying::serialize),
                         [](const auto& copies) {
                           return copies.param == ts::copying::serialize ? "as_bytes" : "automatic";
                         });

TEST_P(room_test, all_of_it_comes_back_when_more_is_owed_than_32_bits_can_count) {
  ts::run({.threads = 1, .places = 2, .env = false, .local_copy = GetParam()}, [] {
    const std::int64_t window = to_place_1().window();
    const auto short_message = static_cast<std::uint32_t>(window / 8);  // not given back by itself
    constexpr std::uint32_t k_longest = std::numeric_limits<std::uint32_t>::max();
    ASSERT_TRUE(to_place_1().try_take(short_message));
    ASSERT_TRUE(to_place_1().try_take(k_longest));
    EXPECT_FALSE(to_place_1().try_take(1));
    ts::at(ts::place(1), give_back, short_message);
    EXPECT_FALSE(to_place_1().try_take(1));
    ts::at(ts::place(1), give_back, k_longest);  // whose reply comes behind the credit
    EXPECT_TRUE(to_place_1().try_take(window));
    ts::at(ts::place(1), give_back, static_cast<std::uint32_t>(window));
  });
}

}  // namespace
