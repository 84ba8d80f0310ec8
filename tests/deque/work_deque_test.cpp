// SPDX-License-Identifier: Apache-2.0
// The deque: what one owner sees, and that nothing is lost or doubled while thieves take part.

#include <tactus/deque/work_deque.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "support/scale.hpp"

namespace {

using tactus::detail::atomic;
using tactus::detail::entry;
using tactus::detail::memory_order_acquire;
using tactus::detail::memory_order_relaxed;
using tactus::detail::memory_order_release;
using tactus::detail::steal_outcome;
using tactus::detail::work_deque;

// Entries that stand for numbers: the deque never looks behind the pointer.
entry task(std::uintptr_t number) { return entry::task(reinterpret_cast<void*>((number + 1) << 2)); }
entry continuation(std::uintptr_t number) { return entry::continuation(reinterpret_cast<void*>((number + 1) << 2)); }
std::uintptr_t number_of(entry e) { return (reinterpret_cast<std::uintptr_t>(e.pointer()) >> 2) - 1; }

TEST(work_deque, pop_returns_the_entry_pushed_last) {
  work_deque d;
  d.push(task(1));
  d.push(task(2));
  EXPECT_EQ(number_of(d.pop()), 2U);
  EXPECT_EQ(number_of(d.pop()), 1U);
  EXPECT_FALSE(d.pop());
}

TEST(work_deque, steal_returns_the_entry_pushed_first) {
  work_deque d;
  d.push(task(1));
  d.push(task(2));
  entry e;
  ASSERT_EQ(d.steal(e), steal_outcome::won);
  EXPECT_EQ(number_of(e), 1U);
  ASSERT_EQ(d.steal(e), steal_outcome::won);
  EXPECT_EQ(number_of(e), 2U);
  EXPECT_EQ(d.steal(e), steal_outcome::empty);
}

TEST(work_deque, the_last_entry_can_be_popped_and_the_deque_used_again) {
  work_deque d;
  for (std::uintptr_t i = 0; i < 1000; ++i) {
    d.push(task(i));
    EXPECT_EQ(number_of(d.pop()), i);
    EXPECT_FALSE(d.pop());
    EXPECT_TRUE(d.looks_empty());
  }
}

TEST(work_deque, an_entry_tells_a_task_from_a_continuation) {
  work_deque d;
  d.push(continuation(7));
  d.push(task(8));
  EXPECT_FALSE(d.pop().is_continuation());
  const entry e = d.pop();
  EXPECT_TRUE(e.is_continuation());
  EXPECT_EQ(number_of(e), 7U);
}

TEST(work_deque, pop_task_leaves_a_continuation_where_it_is) {
  work_deque d;
  d.push(continuation(7));
  EXPECT_FALSE(d.pop_task());
  EXPECT_EQ(number_of(d.pop()), 7U);
}

TEST(work_deque, growing_keeps_every_entry_in_order) {
  work_deque d(4);
  const std::uintptr_t n = 100'000;
  for (std::uintptr_t i = 0; i < n; ++i) {
    d.push(task(i));
  }
  entry e;
  for (std::uintptr_t i = 0; i < n / 2; ++i) {
    ASSERT_EQ(d.steal(e), steal_outcome::won);
    ASSERT_EQ(number_of(e), i);
  }
  for (std::uintptr_t i = n; i-- > n / 2;) {
    ASSERT_EQ(number_of(d.pop()), i);
  }
  EXPECT_FALSE(d.pop());
}

TEST(work_deque, a_ring_that_wraps_keeps_every_entry) {
  work_deque d(4);
  std::uintptr_t in = 0;
  std::uintptr_t out = 0;
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 3; ++i) {
      d.push(task(in++));
    }
    for (int i = 0; i < 3; ++i) {
      entry e;
      ASSERT_EQ(d.steal(e), steal_outcome::won);
      ASSERT_EQ(number_of(e), out++);
    }
  }
}

TEST(work_deque, a_batch_takes_at_most_half_and_oldest_first) {
  work_deque d;
  for (std::uintptr_t i = 0; i < 10; ++i) {
    d.push(task(i));
  }
  entry batch[64];
  const std::size_t got = d.steal_batch(batch, 64);
  EXPECT_EQ(got, 5U);
  for (std::size_t i = 0; i < got; ++i) {
    EXPECT_EQ(number_of(batch[i]), i);
  }
}

TEST(work_deque, a_batch_ends_before_a_continuation) {
  work_deque d;
  d.push(task(0));
  d.push(continuation(1));
  for (std::uintptr_t i = 2; i < 20; ++i) {
    d.push(task(i));
  }
  entry batch[64];
  EXPECT_EQ(d.steal_batch(batch, 64), 1U);
}

TEST(work_deque, a_continuation_is_taken_alone) {
  work_deque d;
  d.push(continuation(0));
  for (std::uintptr_t i = 1; i < 20; ++i) {
    d.push(task(i));
  }
  entry batch[64];
  ASSERT_EQ(d.steal_batch(batch, 64), 1U);
  EXPECT_TRUE(batch[0].is_continuation());
}

// One owner that pushes and pops in bursts, thieves that take one by one or in batches: every number is seen exactly once.
void exactly_once(int thieves, std::size_t batch_size, std::uintptr_t numbers) {
  work_deque d(4);
  std::vector<atomic<std::uint8_t>> seen(numbers);
  atomic<bool> over{false};
  const auto take = [&](entry e) { seen[number_of(e)].fetch_add(1, memory_order_relaxed); };
  std::vector<std::thread> threads;
  for (int t = 0; t < thieves; ++t) {
    threads.emplace_back([&] {
      std::vector<entry> batch(batch_size);
      for (;;) {
        const bool last_look = over.load(memory_order_acquire);
        std::size_t got = 0;
        while ((got = d.steal_batch(batch.data(), batch_size)) != 0) {
          for (std::size_t i = 0; i < got; ++i) {
            take(batch[i]);
          }
        }
        if (last_look) {
          return;
        }
      }
    });
  }
  std::uintptr_t next = 0;
  for (std::uintptr_t burst = 1; next < numbers; burst = burst % 37 + 1) {
    for (std::uintptr_t i = 0; i < burst && next < numbers; ++i, ++next) {
      d.push(next % 11 == 0 ? continuation(next) : task(next));
    }
    for (std::uintptr_t i = 0; i < burst / 2 + 1; ++i) {
      if (const entry e = d.pop(); e) {
        take(e);
      }
    }
  }
  while (const entry e = d.pop()) {
    take(e);
  }
  over.store(true, memory_order_release);
  for (std::thread& t : threads) {
    t.join();
  }
  std::uintptr_t lost = 0;
  std::uintptr_t doubled = 0;
  for (const auto& s : seen) {
    lost += s.load(memory_order_relaxed) == 0 ? 1U : 0U;
    doubled += s.load(memory_order_relaxed) > 1 ? 1U : 0U;
  }
  EXPECT_EQ(lost, 0U);
  EXPECT_EQ(doubled, 0U);
}

constexpr std::uintptr_t k_numbers = support::k_sanitized ? 50'000 : 1'000'000;

TEST(work_deque, one_thief_one_by_one_sees_each_entry_exactly_once) { exactly_once(1, 1, k_numbers); }
TEST(work_deque, one_thief_in_batches_sees_each_entry_exactly_once) { exactly_once(1, 64, k_numbers); }
TEST(work_deque, three_thieves_in_batches_see_each_entry_exactly_once) { exactly_once(3, 16, k_numbers); }

}  // namespace
