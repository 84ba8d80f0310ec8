// SPDX-License-Identifier: Apache-2.0
// The deque: what one owner sees, and that nothing is lost or doubled while thieves take part.

#include <tactus/deque/impl/work_deque.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/scale.hpp"
#include "support/stop_signal.hpp"

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

TEST(work_deque, says_how_many_entries_there_are_while_nobody_changes_it) {
  work_deque d;
  EXPECT_EQ(d.looks_size(), 0U);
  for (std::uintptr_t i = 0; i < 5; ++i) d.push(task(i));
  entry e;
  ASSERT_EQ(d.steal(e), steal_outcome::won);
  EXPECT_EQ(d.looks_size(), 4U);
  while (d.pop()) {
  }
  EXPECT_EQ(d.looks_size(), 0U);
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

// ---- a thief that is slow ----

// Takes what there is from one deque after the other, one by one or in batches, and counts entries that are none.
class slow_thief {
public:
  explicit slow_thief(std::size_t batch) : batch_(batch), thread_([this] { run(); }) {}
  ~slow_thief() {
    ended_.store(true, memory_order_release);  // release: as all here, pairs with the acquire of the same word
    thread_.join();
  }
  slow_thief(const slow_thief&) = delete;
  slow_thief& operator=(const slow_thief&) = delete;

  void begin(work_deque& d) {
    taken_.store(0, memory_order_relaxed);  // relaxed: the thief rests
    from_.store(&d, memory_order_release);
  }
  // Without giving the processor away, as a rule: the thief is to be stopped at once.
  void await(std::size_t taken) const {
    for (unsigned looks = 1; this->taken() < taken; ++looks) {
      if (looks % 1'000 == 0) std::this_thread::yield();
    }
  }
  [[nodiscard]] std::size_t taken() const { return taken_.load(memory_order_acquire); }
  void stop() { support::stop_signal::stop(thread_.native_handle()); }
  static void go_on() { support::stop_signal::go_on(); }
  /// Nothing more comes: how many entries there were.
  std::size_t end() {
    over_.store(true, memory_order_release);
    while (from_.load(memory_order_acquire) != nullptr) std::this_thread::yield();
    over_.store(false, memory_order_relaxed);  // relaxed: as above
    return taken();
  }
  [[nodiscard]] std::size_t nothing() const { return nothing_.load(memory_order_acquire); }

private:
  void run() {
    while (!ended_.load(memory_order_acquire)) {
      if (work_deque* const d = from_.load(memory_order_acquire); d != nullptr) {
        empty(*d);
        from_.store(nullptr, memory_order_release);
      } else {
        std::this_thread::yield();
      }
    }
  }

  void empty(work_deque& d) {
    std::array<entry, 8> found;
    std::size_t all = 0;
    for (bool last_look = false;;) {
      const std::size_t got = d.steal_batch(found.data(), batch_);
      for (std::size_t i = 0; i < got; ++i) {
        if (!found[i]) nothing_.fetch_add(1, memory_order_relaxed);  // relaxed: looked at later
      }
      taken_.store(all += got, memory_order_release);
      if (got == 0 && last_look) return;
      last_look = over_.load(memory_order_acquire);
    }
  }

  const std::size_t batch_;
  atomic<work_deque*> from_{nullptr};
  atomic<std::size_t> taken_{0};
  atomic<std::size_t> nothing_{0};
  atomic<bool> over_{false};
  atomic<bool> ended_{false};
  std::thread thread_;
};

// The thief is stopped anywhere; every so often that is between its look at the ring and its look at the slot. Then the
// ring is outgrown, and its pages go back.
void stop_while_growing(std::size_t batch) {
  static constexpr std::size_t k_room = 16'384;
  const support::stop_signal stopping;
  slow_thief thief(batch);
  int in_time = 0;  // attempts in which there was something left to steal
  for (int attempt = 0; in_time < 300 && attempt < 1'000; ++attempt) {
    work_deque d(k_room);
    for (std::size_t i = 0; i < k_room; ++i) d.push(task(i));
    thief.begin(d);
    thief.await(1'000);  // past the first page, which an outgrown ring keeps
    thief.stop();
    in_time += thief.taken() < k_room ? 1 : 0;
    std::size_t pushed = k_room;
    for (; pushed < 2 * k_room + 10; ++pushed) d.push(task(pushed));
    slow_thief::go_on();
    ASSERT_EQ(thief.end(), pushed) << "attempt " << attempt;
    ASSERT_EQ(thief.nothing(), 0U) << "attempt " << attempt;
  }
}

TEST(work_deque, a_thief_that_was_stopped_while_its_ring_was_outgrown_takes_no_entry_that_is_none) {
  if (support::k_tsan) GTEST_SKIP() << "signals come late there";
  stop_while_growing(1);
}

TEST(work_deque, neither_does_one_that_takes_batches) {
  if (support::k_tsan) GTEST_SKIP() << "signals come late there";
  stop_while_growing(
      5);  // so that others than the first of a batch lie on a line that has to be fetched: there a thief is slow
}

}  // namespace
