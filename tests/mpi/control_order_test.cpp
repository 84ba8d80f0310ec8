// SPDX-License-Identifier: Apache-2.0
// How control frames come into the order in which they were sent.
#include "mpi/control_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace tactus::detail {
namespace {

using turn = control_order::turn;

// A frame that says its own number.
frame_ptr frame_of(std::uint32_t number) {
  frame_ptr frame = make_frame_block(sizeof number);
  frame->bytes = number;
  return frame;
}

// Numbers of those that are taken when that one comes.
std::vector<std::uint32_t> taken_with(control_order& order, std::uint32_t number) {
  std::vector<std::uint32_t> taken;
  frame_ptr frame = frame_of(number);
  if (order.add(number, frame) == turn::now) {
    for (; frame != nullptr; frame = order.take_early()) {
      taken.push_back(static_cast<std::uint32_t>(frame->bytes));
    }
  }
  return taken;
}

turn turn_of(control_order& order, std::uint32_t number) {
  frame_ptr frame = frame_of(number);
  return order.add(number, frame);
}

constexpr std::uint32_t k_last_number = std::numeric_limits<std::uint32_t>::max();

TEST(ControlOrder, FramesThatComeInAnyOrderAreTakenInThatOfTheirNumbers) {
  const std::uint32_t seed = std::random_device{}();
  std::mt19937 random(seed);
  for (const std::uint32_t last : {std::uint32_t{0}, k_last_number - 50, k_last_number}) {
    std::vector<std::uint32_t> sent(100);
    std::iota(sent.begin(), sent.end(), last + 1);  // numbers begin again at 0
    std::vector<std::uint32_t> comes = sent;
    std::shuffle(comes.begin(), comes.end(), random);
    control_order order(last);
    std::vector<std::uint32_t> taken;
    for (const std::uint32_t number : comes) {
      const std::vector<std::uint32_t> now = taken_with(order, number);
      taken.insert(taken.end(), now.begin(), now.end());
    }
    EXPECT_EQ(taken, sent) << "after " << last << ", seed " << seed;
  }
}

TEST(ControlOrder, NumbersBeginAgainAtZero) {
  control_order order(k_last_number - 2);
  EXPECT_EQ(taken_with(order, 0), std::vector<std::uint32_t>{});
  EXPECT_EQ(taken_with(order, k_last_number), std::vector<std::uint32_t>{});
  EXPECT_EQ(taken_with(order, 1), std::vector<std::uint32_t>{});
  EXPECT_EQ(taken_with(order, k_last_number - 1), (std::vector<std::uint32_t>{k_last_number - 1, k_last_number, 0, 1}));
  EXPECT_EQ(taken_with(order, 2), std::vector<std::uint32_t>{2});
}

TEST(ControlOrder, WhatComesTwiceIsTold) {
  for (const std::uint32_t last : {std::uint32_t{0}, k_last_number - 1, k_last_number}) {
    control_order order(last);
    EXPECT_EQ(turn_of(order, last + 1), turn::now);
    EXPECT_EQ(turn_of(order, last + 1), turn::again);
    EXPECT_EQ(turn_of(order, last), turn::again);
    EXPECT_EQ(turn_of(order, last + 3), turn::later);
    EXPECT_EQ(turn_of(order, last + 3), turn::again);
  }
}

TEST(ControlOrder, WhichOneIsDueAndHowManyWaitForItIsKnown) {
  control_order order(k_last_number - 1);
  EXPECT_EQ(order.due(), k_last_number);
  EXPECT_EQ(order.early(), 0U);
  EXPECT_EQ(turn_of(order, 0), turn::later);
  EXPECT_EQ(turn_of(order, 2), turn::later);
  EXPECT_EQ(order.due(), k_last_number);
  EXPECT_EQ(order.early(), 2U);
  static_cast<void>(taken_with(order, k_last_number));
  EXPECT_EQ(order.due(), 1U);
  EXPECT_EQ(order.early(), 1U);
}

}  // namespace
}  // namespace tactus::detail
