// SPDX-License-Identifier: Apache-2.0

#include <tactus/deque/impl/mailbox.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "support/scale.hpp"

namespace {

struct letter {
  letter* next = nullptr;
  int sender = 0;
  int number = 0;
};

TEST(mailbox, is_empty_until_something_is_sent) {
  tactus::detail::mailbox<letter> box;
  EXPECT_TRUE(box.looks_empty());
  EXPECT_EQ(box.take_all(), nullptr);
  letter one;
  box.send(&one);
  EXPECT_FALSE(box.looks_empty());
}

TEST(mailbox, take_all_returns_everything_in_the_order_sent_and_leaves_it_empty) {
  tactus::detail::mailbox<letter> box;
  std::vector<letter> letters(5);
  for (int i = 0; i < 5; ++i) {
    letters[static_cast<std::size_t>(i)].number = i;
    box.send(&letters[static_cast<std::size_t>(i)]);
  }
  int expected = 0;
  for (letter* l = box.take_all(); l != nullptr; l = l->next) {
    EXPECT_EQ(l->number, expected++);
  }
  EXPECT_EQ(expected, 5);
  EXPECT_TRUE(box.looks_empty());
}

TEST(mailbox, every_letter_of_several_senders_arrives_once_and_each_senders_in_order) {
  constexpr int k_senders = 3;
  constexpr int k_letters = support::k_sanitized ? 5'000 : 100'000;
  tactus::detail::mailbox<letter> box;
  std::vector<std::vector<letter>> letters(k_senders, std::vector<letter>(k_letters));
  std::vector<std::thread> senders;
  for (int s = 0; s < k_senders; ++s) {
    senders.emplace_back([&, s] {
      for (int i = 0; i < k_letters; ++i) {
        letter& l = letters[static_cast<std::size_t>(s)][static_cast<std::size_t>(i)];
        l.sender = s;
        l.number = i;
        box.send(&l);
      }
    });
  }
  std::vector<int> next(k_senders, 0);
  for (int got = 0; got < k_senders * k_letters;) {
    for (letter* l = box.take_all(); l != nullptr; l = l->next) {
      ASSERT_EQ(l->number, next[static_cast<std::size_t>(l->sender)]++);
      ++got;
    }
    std::this_thread::yield();
  }
  for (std::thread& t : senders) {
    t.join();
  }
  EXPECT_TRUE(box.looks_empty());
}

}  // namespace
