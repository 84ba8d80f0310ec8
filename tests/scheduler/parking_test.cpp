// SPDX-License-Identifier: Apache-2.0
// Who sleeps and who is woken: the steps of docs/protocols/parking.md one by one, and what they are for.
#include <tactus/scheduler/impl/parking.hpp>
#include <tactus/scheduler/impl/worker.hpp>
#include <tactus/tactus.hpp>

#include "support/parallel.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

namespace ts = tactus;

namespace {

using tactus::detail::idle_set;
using tactus::detail::worker;

// Three workers that run nothing: the test says what each of them does next.
class parking_test : public testing::Test {
protected:
  static constexpr std::size_t k_workers = 3;

  [[nodiscard]] static std::unique_ptr<worker> make(int id) {
    return std::make_unique<worker>(nullptr, id, 0, support::config_of(static_cast<int>(k_workers)));
  }
  [[nodiscard]] static bool is_woken(const std::unique_ptr<worker>& w) {
    return w->woken.load(std::memory_order_acquire) != 0;  // acquire: as in idle_set::sleep()
  }
  void goes_to_sleep(const std::unique_ptr<worker>& w) {
    idle.begin_search();
    idle.announce(w.get());
  }

  idle_set idle{k_workers, idle_set::order::plain_fences};
  std::unique_ptr<worker> a = make(0);
  std::unique_ptr<worker> b = make(1);
  std::unique_ptr<worker> c = make(2);
};

TEST_F(parking_test, work_that_appears_wakes_one_sleeper) {
  goes_to_sleep(a);
  goes_to_sleep(b);
  idle.notify();
  EXPECT_NE(is_woken(a), is_woken(b));
}

TEST_F(parking_test, work_that_appears_wakes_nobody_while_somebody_searches) {
  goes_to_sleep(b);
  idle.begin_search();  // a
  idle.notify();
  EXPECT_FALSE(is_woken(b));
}

TEST_F(parking_test, the_last_searcher_that_finds_work_wakes_a_sleeper) {
  goes_to_sleep(b);
  idle.begin_search();  // a
  idle.notify();        // of two tasks, say, of which a takes one
  idle.end_search();
  EXPECT_TRUE(is_woken(b));
}

TEST_F(parking_test, a_searcher_that_is_not_the_last_wakes_nobody) {
  goes_to_sleep(c);
  idle.begin_search();  // a
  idle.begin_search();  // b
  idle.end_search();
  EXPECT_FALSE(is_woken(c));
  idle.end_search();
  EXPECT_TRUE(is_woken(c));
}

TEST_F(parking_test, all_sleep_only_when_the_last_one_does) {
  std::uint64_t departures = 0;
  goes_to_sleep(a);
  goes_to_sleep(b);
  EXPECT_FALSE(idle.withdraw_if_all_asleep(b.get(), departures));
  goes_to_sleep(c);
  EXPECT_TRUE(idle.withdraw_if_all_asleep(c.get(), departures));
  EXPECT_FALSE(idle.withdraw_if_all_asleep(a.get(), departures)) << "c is awake";
}

TEST_F(parking_test, who_was_the_last_to_sleep_hears_of_one_that_withdraws_after) {
  std::uint64_t departures = 0;
  goes_to_sleep(a);
  goes_to_sleep(b);
  goes_to_sleep(c);
  ASSERT_TRUE(idle.withdraw_if_all_asleep(c.get(), departures));
  EXPECT_TRUE(idle.nobody_left_since(departures));
  EXPECT_TRUE(idle.withdraw(a.get()));  // it has seen work on its way to sleep, and has taken it
  EXPECT_FALSE(idle.nobody_left_since(departures));
}

TEST_F(parking_test, who_was_the_last_to_sleep_hears_of_one_that_is_woken_after) {
  std::uint64_t departures = 0;
  goes_to_sleep(a);
  goes_to_sleep(b);
  goes_to_sleep(c);
  ASSERT_TRUE(idle.withdraw_if_all_asleep(c.get(), departures));
  idle.wake(b.get());
  EXPECT_FALSE(idle.nobody_left_since(departures));
}

// ---- what it is for ----

constexpr std::chrono::seconds k_patience{30};  // nothing but a fault takes that long

// How often each worker has slept.
std::array<std::uint64_t, 3> parks() {
  std::array<std::uint64_t, 3> all{};
  const ts::runtime_stats stats = ts::stats();
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = stats.workers[i].parks;
  return all;
}

// Whether all but the calling one have gone to sleep again since.
bool others_slept_since(const std::array<std::uint64_t, 3>& before) {
  const std::array<std::uint64_t, 3> now = parks();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (static_cast<int>(i) != ts::worker_id() && now[i] == before[i]) return false;
  }
  return true;
}

// Lets tasks go on that wait for the event, even if what they wait for does not happen.
bool await_in_time(const std::atomic<bool>& event) {
  const auto until = std::chrono::steady_clock::now() + k_patience;
  while (!event.load(std::memory_order_acquire)) {  // acquire: what came before it was set
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

// Two tasks come one after the other, and each needs a worker of its own, which sleeps: who is woken for the first one
// is taken for a searcher when the second comes, takes one of the two, and has to see to it that a third worker comes.
TEST(parking_of_workers_test, of_two_tasks_that_come_at_once_each_finds_a_sleeping_worker) {
  bool in_time = true;
  ts::run(support::config_of(3), [&] {
    std::array<std::uint64_t, 3> slept{};
    for (int round = 0; round < 50 && in_time; ++round) {
      while (!others_slept_since(slept)) std::this_thread::yield();
      slept = parks();
      // Who has slept and searches again is through with that by then, as a rule; if not, this round finds nothing.
      for (int looks = 0; looks < 1'000; ++looks) slept = parks();
      std::atomic<bool> second_runs{false};
      std::atomic<bool> first_has_seen_it{false};
      std::atomic<bool> gave_up{false};
      ts::finish([&] {
        ts::async(ts::spawn_policy::help_first, [&] {
          if (!await_in_time(second_runs)) gave_up = true;
          first_has_seen_it = true;
        });
        ts::async(ts::spawn_policy::help_first, [&] { second_runs = true; });
        if (!await_in_time(first_has_seen_it)) gave_up = true;  // keeps its own worker meanwhile
      });
      in_time = !gave_up;
    }
  });
  EXPECT_TRUE(in_time) << "a task lay there while a worker slept";
}

}  // namespace
