// SPDX-License-Identifier: Apache-2.0
// stats(): what it counts in programs whose counts are known.
#include <tactus/tactus.hpp>

#include "support/parallel.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

class counters_test : public support::each_setting {};
TACTUS_EACH_SETTING(counters_test);

TEST_P(counters_test, has_one_entry_per_worker) {
  run([] {});
  EXPECT_EQ(ts::stats().workers.size(), static_cast<std::size_t>(GetParam().workers));
}

TEST_P(counters_test, counts_each_spawned_task_once) {
  run([] {
    for (int i = 0; i < 500; ++i) ts::async([] {});
  });
  EXPECT_EQ(ts::stats().totals.tasks_run, 500u);
}

TEST_P(counters_test, counts_spawns_by_what_was_done_with_the_child) {
  run([] {
    for (int i = 0; i < 100; ++i) ts::async(ts::spawn_policy::work_first, [] {});
    for (int i = 0; i < 200; ++i) ts::async(ts::spawn_policy::help_first, [] {});
  });
  const auto totals = ts::stats().totals;
  EXPECT_EQ(totals.spawned_work_first, 100u);
  EXPECT_EQ(totals.spawned_help_first, 200u);
}

TEST_P(counters_test, counts_every_spawn_one_way_or_another) {
  run([] {
    for (int i = 0; i < 300; ++i) ts::async([] {});
  });
  const auto totals = ts::stats().totals;
  EXPECT_EQ(totals.spawned_work_first + totals.spawned_help_first + totals.spawned_throttled + totals.spawned_shared +
                totals.spawned_invited,
            300u);
}

TEST_P(counters_test, counts_each_task_that_waits_and_each_that_goes_on) {
  // One task after the other comes to wait for the one that comes next: the last of them lets all go on, by and by.
  static constexpr std::size_t k_tasks = 50;
  run([] {
    ts::finish([] {
      std::vector<ts::promise<void>> gates(k_tasks + 1);
      for (std::size_t i = 0; i < k_tasks; ++i) {
        ts::async([own = gates[i], next = gates[i + 1].get_future()] {
          next.get();
          own.set_value();
        });
      }
      while (ts::stats().totals.suspensions < k_tasks) ts::yield();
      gates.back().set_value();
    });
  });
  const auto totals = ts::stats().totals;
  EXPECT_GE(totals.suspensions, k_tasks);
  EXPECT_EQ(totals.resumptions, totals.suspensions);
}

TEST(counters_of_one_worker_test, count_each_wait_once) {
  static constexpr std::uint64_t k_tasks = 50;
  ts::run(support::config_of(1, ts::spawn_policy::work_first), [] {
    const ts::promise<void> gate;
    ts::finish([&gate] {
      for (std::uint64_t i = 0; i < k_tasks; ++i) ts::async([f = gate.get_future()] { f.get(); });
      EXPECT_EQ(ts::stats().totals.suspensions, k_tasks);
      EXPECT_EQ(ts::stats().totals.resumptions, 0u);
      gate.set_value();
    });
  });
  const auto totals = ts::stats().totals;
  EXPECT_EQ(totals.suspensions, k_tasks + totals.finishes_parked);
  EXPECT_EQ(totals.resumptions, totals.suspensions);
  EXPECT_EQ(totals.tasks_run, k_tasks);
}

TEST_P(counters_test, counts_exceptions_that_nobody_looked_at) {
  testing::internal::CaptureStderr();
  run([] {
    for (int i = 0; i < 3; ++i)
      static_cast<void>(ts::async_future([]() -> int { throw std::runtime_error("unseen"); }));
  });
  static_cast<void>(testing::internal::GetCapturedStderr());
  EXPECT_EQ(ts::stats().totals.unseen_exceptions, 3u);
}

TEST_P(counters_test, do_not_count_exceptions_that_went_before_the_runtime_was_made) {
  testing::internal::CaptureStderr();
  {
    const auto f = run([] { return ts::async_future([]() -> int { throw std::runtime_error("unseen"); }); });
  }
  static_cast<void>(testing::internal::GetCapturedStderr());
  run([] {});
  EXPECT_EQ(ts::stats().totals.unseen_exceptions, 0u);
}

TEST_P(counters_test, may_be_asked_for_during_a_run) {
  run([] {
    for (int i = 0; i < 100; ++i) {
      ts::async([] { EXPECT_EQ(ts::stats().workers.size(), static_cast<std::size_t>(GetParam().workers)); });
    }
  });
}

// ThreadSanitizer looks on.
TEST_P(counters_test, may_be_asked_for_by_another_thread_while_runs_begin_and_end) {
  ts::runtime rt(support::config_of(GetParam().workers, GetParam().policy));
  std::atomic<bool> is_over{false};
  std::thread asker([&rt, &is_over] {
    std::chrono::nanoseconds before{0};
    while (!is_over) {
      const std::chrono::nanoseconds wall = rt.stats().wall;
      EXPECT_GE(wall, before);
      before = wall;
    }
  });
  for (int i = 0; i < 100; ++i) rt.run([] { ts::async([] {}); });
  is_over = true;
  asker.join();
  EXPECT_GT(rt.stats().wall.count(), 0);
}

class stolen_counters_test : public support::each_setting {};
TACTUS_EACH_PARALLEL_SETTING(stolen_counters_test);

TEST_P(stolen_counters_test, counts_a_continuation_that_another_worker_took) {
  run([] {
    support::event gone_on;
    ts::finish([&] {
      ts::async(ts::spawn_policy::work_first, [&] { gone_on.await(); });
      gone_on.set();
    });
  });
  const auto totals = ts::stats().totals;
  EXPECT_GE(totals.continuations_stolen, 1u);
  EXPECT_GE(totals.steals_won, 1u);
  EXPECT_GE(totals.steals_tried, totals.steals_won);
}

TEST_P(stolen_counters_test, counts_a_task_that_another_worker_took) {
  run([] {
    support::event started;
    ts::finish([&] {
      ts::async(ts::spawn_policy::help_first, [&] { started.set(); });
      started.await();
    });
  });
  EXPECT_GE(ts::stats().totals.tasks_stolen, 1u);
}

TEST_P(stolen_counters_test, counts_each_task_of_a_batch) {
  constexpr std::uint64_t k_tasks = 200;
  const auto others = static_cast<std::uint64_t>(GetParam().workers) - 1;
  run([&] {
    support::event may_steal;
    std::atomic<std::uint64_t> started{0};
    std::atomic<std::uint64_t> ran{0};
    ts::finish([&] {
      for (std::uint64_t i = 0; i < others; ++i) {
        ts::async(ts::spawn_policy::help_first, [&] {
          ++started;
          may_steal.await();
        });
      }
      while (started != others) std::this_thread::yield();
      for (std::uint64_t i = 0; i < k_tasks; ++i) ts::async(ts::spawn_policy::help_first, [&] { ++ran; });
      may_steal.set();
      while (ran != k_tasks) std::this_thread::yield();  // this worker runs none of them
    });
  });
  const std::uint64_t stolen = ts::stats().totals.tasks_stolen;
  EXPECT_GE(stolen, k_tasks + others);
  if (others == 1) {
    EXPECT_EQ(stolen, k_tasks + others);  // more of them would steal from each other, too
  }
}

TEST_P(stolen_counters_test, counts_whom_a_worker_has_woken) {
  run([] {
    // Who has run the task goes to sleep again; when it is the last one, the next task wakes somebody.
    std::uint64_t parks = 0;
    ts::finish([&] {
      while (ts::stats().totals.wake_ups == 0) {
        while (ts::stats().totals.parks == parks) std::this_thread::yield();
        parks = ts::stats().totals.parks;
        support::event ran;
        ts::async(ts::spawn_policy::help_first, [&] { ran.set(); });
        ran.await();
      }
    });
  });
  const auto all = ts::stats();
  EXPECT_GE(all.totals.wake_ups, 1u);
  EXPECT_LE(all.totals.wake_ups, all.totals.parks);
}

}  // namespace
