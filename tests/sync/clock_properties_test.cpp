// SPDX-License-Identifier: Apache-2.0
// The three properties of uclocks.txt, section 3, by counters and never by time; at the end the table of figure 13.
//   DP1  what shares no data shares no lock: atomic blocks wake nobody at a clock
//   DP2  never more tasks run than there are workers, and as many as can be
//   DP3  work per phase in proportion to the tasks: each task parks and is resumed at most once
#include <tactus/tactus.hpp>

#include "clock_members.hpp"
#include "support/process.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

namespace ts = tactus;

namespace {

class clock_properties_test : public support::each_setting {};
TACTUS_EACH_SETTING(clock_properties_test);

std::uint64_t resumptions() { return ts::stats().totals.resumptions; }

void raise(std::atomic<int>& most, int level) {
  // relaxed: a maximum publishes nothing
  int known = most.load(std::memory_order_relaxed);
  while (known < level && !most.compare_exchange_weak(known, level, std::memory_order_relaxed)) {
  }
}

// ---- DP1 ----

/// Figure 7: two tasks on a clock, one of which is late, beside a loop of atomic blocks. How many tasks the blocks woke.
std::uint64_t wake_ups_of_figure_7(int blocks) {
  std::uint64_t woken = 0;
  const ts::promise<void> late;
  std::atomic<int> at_clock{0};
  int n = 0;
  ts::finish([&] {
    ts::async([&at_clock, go_on = late.get_future()] {
      const ts::clock c = ts::clock::make();
      members::spawn_waiting(c, at_clock);
      go_on.get();
      c.advance();
    });
    while (at_clock != 1) ts::yield();
    const std::uint64_t before = resumptions();
    for (int i = 0; i < blocks; ++i) ts::atomic([&n] { ++n; });
    woken = resumptions() - before;
    late.set_value();
  });
  EXPECT_EQ(n, blocks);
  return woken;
}

TEST_P(clock_properties_test, dp1_the_atomic_blocks_of_figure_7_wake_nobody_at_the_clock) {
  run([] { EXPECT_EQ(wake_ups_of_figure_7(2'000), 0u); });
}

TEST_P(clock_properties_test, dp1_blocks_of_a_monitor_wake_nobody_at_a_clock) {
  run([] {
    const ts::promise<void> late;
    std::atomic<int> at_clock{0};
    ts::monitor m;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      members::spawn_waiting(c, at_clock);
      members::spawn_late_counted(c, late.get_future(), at_clock);
      while (at_clock != 2) ts::yield();
      c.drop();
      const std::uint64_t before = resumptions();
      for (int i = 0; i < 1'000; ++i) {
        m.atomic([] {});
        m.when([] { return true; }, [] {});
      }
      EXPECT_EQ(resumptions() - before, 0u);
      late.set_value();
    });
  });
}

TEST_P(clock_properties_test, dp1_phases_of_one_clock_wake_nobody_at_another) {
  run([] {
    const ts::promise<void> late;
    std::atomic<int> at_clock{0};
    ts::finish([&] {
      const ts::clock standing = ts::clock::make();
      members::spawn_waiting(standing, at_clock);
      members::spawn_late_counted(standing, late.get_future(), at_clock);
      standing.drop();
      while (at_clock != 2) ts::yield();
      const ts::clock running = ts::clock::make();
      const std::uint64_t before = resumptions();
      for (int k = 0; k < 1'000; ++k) running.advance();
      EXPECT_EQ(resumptions() - before, 0u);
      late.set_value();
    });
  });
}

TEST_P(clock_properties_test, dp1_arrivals_that_complete_no_phase_wake_nobody) {
  // What section 2.3 calls eager waking: in X10 each of these resumes unparks all who wait.
  static constexpr int k_waiting = 20;
  run([] {
    const ts::promise<void> late;
    std::atomic<int> at_clock{0};
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      for (int i = 0; i < k_waiting; ++i) members::spawn_waiting(c, at_clock);
      members::spawn_late_counted(c, late.get_future(), at_clock);
      while (at_clock != k_waiting + 1) ts::yield();
      const std::uint64_t before = resumptions();
      c.resume();
      c.drop();
      EXPECT_EQ(resumptions() - before, 0u);
      late.set_value();
    });
  });
}

// ---- DP2 ----

/// The most tasks that were seen running at one time while `tasks` went through `phases`; sampled after every resume.
template <class Look>
int most_running(int tasks, int phases, Look look) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  ts::finish([&] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < tasks; ++i) {
      ts::async(ts::clocked(c), [&running, &most, &look, c, phases] {
        for (int k = 0; k < phases; ++k) {
          raise(most, ++running);
          look();
          std::this_thread::yield();
          --running;  // from here on the task may wait
          c.advance();
        }
      });
    }
  });
  return most;
}

TEST_P(clock_properties_test, dp2_no_more_tasks_run_than_there_are_workers) {
  // Also if a hundred threads had been started for them: each worker's tasks run on one thread, and are its only ones.
  const auto workers = static_cast<std::size_t>(GetParam().workers);
  std::mutex mutex;
  std::set<std::pair<int, std::thread::id>> seen;  // protected by the mutex
  run([&] {
    EXPECT_LE(most_running(60, 10,
                           [&] {
                             const std::lock_guard hold(mutex);
                             seen.emplace(ts::worker_id(), std::this_thread::get_id());
                           }),
              GetParam().workers);
  });
  std::set<int> workers_seen;
  std::set<std::thread::id> threads_seen;
  for (const auto& [worker, thread] : seen) {
    workers_seen.insert(worker);
    threads_seen.insert(thread);
  }
  EXPECT_LE(threads_seen.size(), workers);
  EXPECT_EQ(workers_seen.size(), seen.size());
  EXPECT_EQ(threads_seen.size(), seen.size());
}

TEST_P(clock_properties_test, dp2_as_many_tasks_run_after_a_phase_as_there_are_workers) {
  // After each phase a task keeps its worker until as many others do so as there are workers: they get no worker unless
  // the released tasks are spread over all of them.
  static constexpr int k_phases = 5;
  const int workers = GetParam().workers;
  std::array<std::atomic<int>, k_phases> running{};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < 3 * workers; ++i) {
      ts::async(ts::clocked(c), [&running, c, workers] {
        for (auto& in_phase : running) {
          c.advance();
          ++in_phase;
          while (in_phase < workers) std::this_thread::yield();
        }
      });
    }
  });
  for (const auto& in_phase : running) EXPECT_EQ(in_phase.load(), 3 * workers);
}

TEST_P(clock_properties_test, dp2_tasks_that_wait_need_no_threads) {
  const std::size_t n = support::scaled(1'000, 50);
  const std::size_t outside = support::thread_count();
  run([&] {
    std::atomic<std::size_t> at_clock{0};
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      for (std::size_t i = 0; i < n; ++i) members::spawn_waiting(c, at_clock);
      while (at_clock != n) ts::yield();
      EXPECT_LE(support::thread_count(), outside + static_cast<std::size_t>(GetParam().workers) + 1);
    });
  });
}

// ---- DP3 ----

/// What a run of `tasks` that advance `phases` times each counted.
ts::worker_counters counted(const support::setting& s, int tasks, int phases, ts::wait way) {
  ts::run(support::config_of(s.workers, s.policy), [&] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < tasks; ++i) {
      ts::async(ts::clocked(c), [c, phases, way] {
        for (int k = 0; k < phases; ++k) c.advance(way);
      });
    }
  });
  return ts::stats().totals;
}

constexpr std::array k_ways = {ts::wait::eager, ts::wait::lazy, ts::wait::automatic};
constexpr std::uint64_t k_phases = 10;

TEST_P(clock_properties_test, dp3_every_task_that_parked_is_resumed_once) {
  for (const ts::wait way : k_ways) {
    run([way] {
      const auto before = ts::stats().totals;
      ts::finish([way] {
        const ts::clock c = ts::clock::make();
        for (int i = 0; i < 40; ++i) {
          ts::async(ts::clocked(c), [c, way] {
            for (std::uint64_t k = 0; k < k_phases; ++k) c.advance(way);
          });
        }
      });
      const auto after = ts::stats().totals;
      EXPECT_EQ(after.resumptions - before.resumptions, after.suspensions - before.suspensions);
    });
  }
}

TEST_P(clock_properties_test, dp3_a_task_parks_at_most_once_per_phase_whatever_the_number_of_tasks) {
  for (const std::uint64_t n : {2u, 16u, 128u}) {
    for (const ts::wait way : k_ways) {
      const auto totals = counted(GetParam(), static_cast<int>(n), k_phases, way);
      // The root, which waits for all of them, is not at the clock.
      EXPECT_LE(totals.suspensions - totals.finishes_parked, n * k_phases) << n << " tasks";
    }
  }
}

TEST(clock_properties_with_one_worker_test, dp3_in_every_phase_all_but_the_last_to_arrive_park) {
  for (const std::uint64_t n : {1u, 2u, 10u, 100u}) {
    for (const ts::wait way : k_ways) {
      const auto totals = counted({1, ts::spawn_policy::adaptive}, static_cast<int>(n), k_phases, way);
      EXPECT_GE(totals.suspensions - totals.finishes_parked, (n - 1) * k_phases) << n << " tasks";
      EXPECT_LE(totals.suspensions - totals.finishes_parked, n * k_phases) << n << " tasks";
    }
  }
}

TEST_P(clock_properties_test, dp3_split_phase_needs_no_parking_where_the_clock_has_moved_on) {
  // Everybody resumes, then waits elsewhere until all have resumed: no advance finds a phase that is not complete.
  run([] {
    static constexpr int k_tasks = 10;
    std::atomic<int> resumed{0};
    std::atomic<int> parked{0};
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < k_tasks; ++i) {
      ts::async(ts::spawn_policy::help_first, ts::clocked(c), [&resumed, c] {
        c.resume();
        ++resumed;
      });
    }
    while (resumed != k_tasks) ts::yield();
    c.resume();
    const std::uint64_t before = ts::stats().workers[static_cast<std::size_t>(ts::worker_id())].suspensions;
    c.advance();
    parked = static_cast<int>(ts::stats().workers[static_cast<std::size_t>(ts::worker_id())].suspensions - before);
    EXPECT_EQ(parked.load(), 0);
  });
}

// ---- figure 13 ----

struct conformance {
  const char* name;
  std::uint64_t woken_by_blocks;  ///< at the barrier, by k_blocks unrelated critical sections
  int most_running;               ///< of k_tasks after a phase, with k_workers processors in mind
  double parks;                   ///< per task and phase
};

constexpr int k_blocks = 5'000;
constexpr int k_workers = 2;
constexpr int k_tasks = 16;

conformance of_clock() {
  conformance c{"tactus::clock", 0, 0, 0};
  ts::run(support::config_of(k_workers), [&] {
    c.woken_by_blocks = wake_ups_of_figure_7(k_blocks);
    c.most_running = most_running(k_tasks, 10, [] {});
  });
  const auto totals = counted({k_workers, ts::spawn_policy::adaptive}, k_tasks, k_phases, ts::wait::automatic);
  c.parks = static_cast<double>(totals.suspensions - totals.finishes_parked) / static_cast<double>(k_tasks * k_phases);
  return c;
}

/// How often the calling thread has given its processor up of itself.
std::uint64_t switches() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return static_cast<std::uint64_t>(used.ru_nvcsw);
}

conformance of_std_barrier() {
  conformance c{"std::barrier", 0, 0, 0};
  {
    // Figure 7 with threads.
    std::barrier<> b(2);
    std::atomic<bool> at_barrier{false};
    std::mutex m;
    std::thread waiter([&] {
      at_barrier = true;
      const std::uint64_t before = switches();
      b.arrive_and_wait();
      c.woken_by_blocks = switches() - before;
    });
    while (!at_barrier) std::this_thread::yield();
    for (int i = 0; i < k_blocks; ++i) const std::lock_guard lock(m);
    b.arrive_and_wait();
    waiter.join();
  }
  std::barrier<> b(k_tasks);
  std::atomic<int> running{0};
  std::atomic<std::uint64_t> given_up{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < k_tasks; ++i) {
    threads.emplace_back([&] {
      b.arrive_and_wait();
      ++running;
      while (running < k_tasks) std::this_thread::yield();  // all of them run, on however few processors
      const std::uint64_t before = switches();
      for (std::uint64_t k = 0; k < k_phases; ++k) b.arrive_and_wait();
      given_up += switches() - before;
    });
  }
  for (std::thread& t : threads) t.join();
  c.most_running = running;
  c.parks = static_cast<double>(given_up) / static_cast<double>(k_tasks * k_phases);
  return c;
}

TEST(clock_conformance_test, of_figure_13_is_full_for_the_clock_and_lacks_dp2_for_std_barrier) {
  const conformance clock = of_clock();
  const conformance barrier = of_std_barrier();
  std::printf("%-14s | woken by %d blocks | most running (%d tasks, %d workers) | parks per task and phase\n",
              "figure 13", k_blocks, k_tasks, k_workers);
  for (const conformance& c : {clock, barrier}) {
    std::printf("%-14s | %20llu | %34d | %.2f\n", c.name, static_cast<unsigned long long>(c.woken_by_blocks),
                c.most_running, c.parks);
  }
  EXPECT_EQ(clock.woken_by_blocks, 0u);
  EXPECT_LE(clock.most_running, k_workers);
  EXPECT_LE(clock.parks, 1.0);
  EXPECT_LT(barrier.woken_by_blocks, std::uint64_t{k_blocks / 10});
  EXPECT_EQ(barrier.most_running, k_tasks);
}

}  // namespace
