// SPDX-License-Identifier: Apache-2.0
// Memory of long messages is kept, and not for what it does not fit.
#include <tactus/base/impl/platform.hpp>
#include <tactus/place/impl/frame_block.hpp>

#include "place/frame.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <set>
#include <vector>

namespace {

using tactus::detail::frame_block;
using tactus::detail::frame_ptr;
using tactus::detail::k_long_block;
using tactus::detail::make_frame_block;

constexpr std::size_t k_mib = std::size_t{1} << 20U;

class long_messages : public testing::Test {
protected:
  void SetUp() override {
    if (TACTUS_ASAN) {
      GTEST_SKIP() << "nothing is kept, so that uses after the end are found";
    }
  }
};

TEST_F(long_messages, take_the_memory_of_those_that_went) {
  frame_ptr first = make_frame_block(3 * k_long_block);
  std::memset(first->data(), 1, first->capacity);
  first->begin = 8;
  first->bytes = 100;
  const frame_block* const was = first.get();
  first = nullptr;
  const frame_ptr second = make_frame_block(2 * k_long_block);
  EXPECT_EQ(second.get(), was);
  EXPECT_EQ(second->capacity, 3 * k_long_block) << "what it was made with";
  EXPECT_EQ(second->begin, 0U);
  EXPECT_EQ(second->bytes, 0U);
}

TEST(frame_blocks, refuse_a_length_that_nothing_has) {
  for (const std::size_t less :
       {std::size_t{0}, sizeof(frame_block) - 1, sizeof(frame_block), 4 * sizeof(frame_block)}) {
    EXPECT_THROW(static_cast<void>(tactus::detail::make_block_at_any_rate(~std::size_t{0} - less)), std::bad_alloc);
  }
}

TEST_F(long_messages, take_no_memory_that_is_too_short_or_far_too_long) {
  frame_ptr first = make_frame_block(5 * k_long_block);
  const frame_block* const was = first.get();
  first = nullptr;
  const frame_ptr longer = make_frame_block(5 * k_long_block + 8);
  const frame_ptr shorter = make_frame_block(k_long_block);
  EXPECT_NE(longer.get(), was);
  EXPECT_NE(shorter.get(), was);
  EXPECT_EQ(make_frame_block(5 * k_long_block).get(), was) << "it is there still";
}

TEST_F(long_messages, are_used_by_nobody_else_meanwhile) {
  std::vector<frame_ptr> all;
  std::set<const frame_block*> different;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) {  // more than are kept
      all.push_back(make_frame_block(2 * k_long_block));
      std::memset(all.back()->data(), i, 2 * k_long_block);
      different.insert(all.back().get());
    }
    EXPECT_EQ(different.size(), 100U);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i]->data()[2 * k_long_block - 1], static_cast<std::byte>(i));
    }
    all.clear();
    different.clear();
  }
}

TEST_F(long_messages, that_are_very_long_leave_nothing) {
  frame_ptr first = make_frame_block(17 * k_mib);
  first = nullptr;
  const frame_ptr next = make_frame_block(15 * k_mib);
  EXPECT_EQ(next->capacity, 15 * k_mib) << "not that of the longer one";
}

TEST_F(long_messages, of_which_there_are_many_leave_the_last_ones) {
  frame_ptr first = make_frame_block(15 * k_mib);
  frame_ptr second = make_frame_block(3 * k_mib);
  first = nullptr;
  second = nullptr;  // more than is kept: so the older one goes
  const frame_ptr next = make_frame_block(14 * k_mib);
  EXPECT_EQ(next->capacity, 14 * k_mib);
  EXPECT_EQ(make_frame_block(2 * k_mib)->capacity, 3 * k_mib);
}

}  // namespace
