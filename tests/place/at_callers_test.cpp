// SPDX-License-Identifier: Apache-2.0
// Numbers of who waits for a reply: each stands for one caller, once.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "place/at_callers.hpp"
#include "place/wired_wait.hpp"

namespace {

using tactus::detail::at_callers;
using tactus::detail::wired_wait;

TEST(at_callers, each_is_found_once_by_its_number) {
  std::vector<wired_wait> waits(100);
  at_callers callers;
  std::vector<std::uint64_t> numbers;
  for (wired_wait& w : waits) {
    numbers.push_back(callers.add(&w));
  }
  EXPECT_EQ(std::set<std::uint64_t>(numbers.begin(), numbers.end()).size(), waits.size());
  for (std::size_t i = waits.size(); i-- > 0;) {
    EXPECT_EQ(callers.take(numbers[i]), &waits[i]);
    EXPECT_EQ(callers.take(numbers[i]), nullptr) << "a second reply to one caller";
  }
}

TEST(at_callers, the_next_user_of_a_slot_has_another_number) {
  wired_wait first;
  wired_wait second;
  at_callers callers;
  const std::uint64_t before = callers.add(&first);
  EXPECT_EQ(callers.take(before), &first);
  EXPECT_EQ(callers.waiting(), 0U);
  const std::uint64_t after = callers.add(&second);
  EXPECT_EQ(callers.waiting(), 1U);
  EXPECT_NE(after, before);
  EXPECT_EQ(after >> 32U, before >> 32U) << "slots are used again";
  EXPECT_EQ(callers.take(before), nullptr) << "a late reply finds nobody";
  EXPECT_EQ(callers.take(after), &second);
}

TEST(at_callers, numbers_that_nobody_was_given_are_nobodys) {
  wired_wait one;
  at_callers callers;
  EXPECT_EQ(callers.take(0), nullptr);
  const std::uint64_t number = callers.add(&one);
  EXPECT_EQ(callers.take(number + 1), nullptr);
  EXPECT_EQ(callers.take(number + (std::uint64_t{1} << 32U)), nullptr);
  EXPECT_EQ(callers.take(~std::uint64_t{0}), nullptr);
  EXPECT_EQ(callers.take(number), &one);
  EXPECT_EQ(callers.take(number + 1), nullptr) << "what the next user of the slot will be told, before there is one";
}

}  // namespace
