// SPDX-License-Identifier: Apache-2.0
// clock: how it is made, and that its tasks go in lock step. What else it means, misuse, deadlocks, costs and storms have files of
// their own.
#include <tactus/tactus.hpp>

#include "clock_members.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

class clock_test : public support::each_setting {};
TACTUS_EACH_SETTING(clock_test);

// ---- a clock and the task that makes it ----

TEST_P(clock_test, is_made_in_phase_0_with_its_maker_registered) {
  run([] {
    const ts::clock c = ts::clock::make();
    EXPECT_TRUE(c.registered());
    EXPECT_FALSE(c.dropped());
    EXPECT_EQ(c.phase(), 0u);
  });
}

TEST_P(clock_test, counts_phases_in_64_bits) {
  static_assert(sizeof(decltype(std::declval<const ts::clock&>().phase())) == sizeof(std::uint64_t));
  run([] {
    const ts::clock c = ts::clock::make();
    for (std::uint64_t k = 0; k < 100; ++k) {
      EXPECT_EQ(c.phase(), k);
      c.advance();
    }
  });
}

TEST_P(clock_test, holds_nobody_who_is_alone_on_it) {
  run([] {
    const ts::clock c = ts::clock::make();
    c.resume();
    c.advance();
    c.advance();
    EXPECT_EQ(c.phase(), 2u);
  });
}

TEST_P(clock_test, of_another_making_is_another_clock) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    c.advance();
    EXPECT_FALSE(c == d);
    EXPECT_EQ(c.phase(), 1u);
    EXPECT_EQ(d.phase(), 0u);
  });
}

TEST_P(clock_test, is_one_clock_in_all_its_handles) {
  run([] {
    const ts::clock c = ts::clock::make();
    const std::vector<ts::clock> copies(3, c);
    copies[0].advance();
    copies[1].resume();
    EXPECT_TRUE(copies[2] == c);
    EXPECT_EQ(c.phase(), 1u);
    copies[2].drop();
    EXPECT_FALSE(c.registered());
  });
}

TEST_P(clock_test, handles_can_be_assigned) {
  run([] {
    ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    d.advance();
    c = d;
    EXPECT_TRUE(c == d);
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_test, handles_may_outlive_every_task_and_end_outside_the_run) {
  std::vector<ts::clock> kept;
  run([&] {
    kept.push_back(ts::clock::make());
    kept.front().advance();
  });
  run([&] {
    EXPECT_FALSE(kept.front().registered());
    const ts::clock own = ts::clock::make();
    EXPECT_FALSE(own == kept.front());
  });
  kept.clear();
}

TEST_P(clock_test, works_in_a_task_as_in_the_root) {
  std::atomic<int> passed{0};
  run([&] {
    for (int i = 0; i < 20; ++i) {
      ts::async([&passed] {
        const ts::clock c = ts::clock::make();
        EXPECT_EQ(c.phase(), 0u);
        members::spawn_advancing(c, passed);
        c.advance();
        ++passed;
      });
    }
  });
  EXPECT_EQ(passed.load(), 40);
}

// ---- lock step ----

TEST_P(clock_test, lets_nobody_pass_before_all_have_arrived) {
  static constexpr std::size_t k_tasks = 10;
  static constexpr std::size_t k_phases = 20;
  std::array<std::atomic<std::size_t>, k_phases> arrived{};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (std::size_t i = 0; i < k_tasks; ++i) {
      ts::async(ts::clocked(c), [&arrived, c] {
        for (std::size_t k = 0; k < k_phases; ++k) {
          EXPECT_EQ(c.phase(), k);
          ++arrived[k];
          c.advance();
          EXPECT_EQ(arrived[k].load(), k_tasks);
        }
      });
    }
  });
  for (const auto& n : arrived) EXPECT_EQ(n.load(), k_tasks);
}

TEST_P(clock_test, shows_after_an_advance_what_every_task_did_before_it) {
  // Plain variables: each is written by its own task in even phases and read by all in odd ones.
  static constexpr std::size_t k_tasks = 8;
  std::array<std::uint64_t, k_tasks> cells{};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (std::size_t i = 0; i < k_tasks; ++i) {
      ts::async(ts::clocked(c), [&cells, c, i] {
        for (std::uint64_t round = 1; round <= 10; ++round) {
          cells[i] = round * 100 + i;
          c.advance();
          for (std::size_t other = 0; other < k_tasks; ++other) EXPECT_EQ(cells[other], round * 100 + other);
          c.advance();
        }
      });
    }
  });
}

TEST_P(clock_test, shows_after_an_advance_what_every_task_did_before_its_resume) {
  static constexpr std::size_t k_tasks = 8;
  std::array<std::uint64_t, k_tasks> cells{};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (std::size_t i = 0; i < k_tasks; ++i) {
      ts::async(ts::clocked(c), [&cells, c, i] {
        cells[i] = i + 1;
        c.resume();
        ts::yield();
        c.advance();
        for (std::size_t other = 0; other < k_tasks; ++other) EXPECT_EQ(cells[other], other + 1);
      });
    }
  });
}

TEST_P(clock_test, frees_the_worker_of_a_task_that_waits) {
  // Every task but the last waits at the clock, and none of them keeps the last from being run.
  std::atomic<int> passed{0};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < 100; ++i) members::spawn_advancing(c, passed);
    ts::yield();
    EXPECT_EQ(passed.load(), 0);
    c.advance();
  });
  EXPECT_EQ(passed.load(), 100);
}

TEST_P(clock_test, counts_a_child_from_its_spawn_on_not_from_its_start) {
  run([] {
    for (int round = 0; round < 20; ++round) {
      bool child_ran = false;
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        ts::async(ts::clocked(c), [&child_ran, c] {
          c.advance();
          EXPECT_TRUE(child_ran);
        });
        ts::async(ts::spawn_policy::help_first, ts::clocked(c), [&child_ran] { child_ran = true; });
      });
    }
  });
}

TEST_P(clock_test, holds_every_child_until_its_maker_has_spawned_all_and_dropped) {
  static constexpr int k_tasks = 50;
  std::atomic<int> started{0};
  run([&] {
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      for (int i = 0; i < k_tasks; ++i) {
        ts::async(ts::clocked(c), [&started, c] {
          ++started;
          c.advance();
          EXPECT_EQ(started.load(), k_tasks);
        });
      }
    });
  });
}

TEST_P(clock_test, does_not_wait_for_tasks_that_are_not_registered) {
  int seen = 0;
  run([&] {
    const ts::promise<void> gate;
    ts::async([&seen, opened = gate.get_future()] {
      opened.get();
      seen = 1;
    });
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [c] { c.advance(); });
    c.advance();
    gate.set_value();
  });
  EXPECT_EQ(seen, 1);
}

TEST_P(clock_test, is_the_same_with_every_way_to_wait) {
  static constexpr std::size_t k_phases = 30;
  for (const ts::wait way : {ts::wait::eager, ts::wait::lazy, ts::wait::automatic}) {
    std::array<std::atomic<int>, k_phases> arrived{};
    run([&] {
      const ts::clock c = ts::clock::make();
      for (int i = 0; i < 6; ++i) {
        ts::async(ts::clocked(c), [&arrived, c, way] {
          for (std::size_t k = 0; k < k_phases; ++k) {
            ++arrived[k];
            if (k % 2 == 0) c.resume(way);
            c.advance(way);
            EXPECT_EQ(arrived[k].load(), 6);
            EXPECT_EQ(c.phase(), k + 1);
          }
        });
      }
    });
  }
}

TEST_P(clock_test, may_be_waited_for_in_different_ways_by_different_tasks) {
  static constexpr std::size_t k_phases = 30;
  static constexpr std::array k_ways = {ts::wait::eager, ts::wait::lazy, ts::wait::automatic};
  std::array<std::atomic<int>, k_phases> arrived{};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (std::size_t i = 0; i < 6; ++i) {
      ts::async(ts::clocked(c), [&arrived, c, i] {
        for (std::size_t k = 0; k < k_phases; ++k) {
          ++arrived[k];
          c.advance(k_ways[(i + k) % k_ways.size()]);
          EXPECT_EQ(arrived[k].load(), 6);
        }
      });
    }
  });
}

TEST_P(clock_test, lets_others_run_while_a_task_waits_eagerly) {
  // The task that is missing needs the worker on which the eager one might poll.
  bool ran = false;
  run([&] {
    const ts::promise<void> gate;
    const ts::clock c = ts::clock::make();
    members::spawn_late(c, gate.get_future(), ts::spawn_policy::help_first);
    ts::async(ts::spawn_policy::help_first, [&ran, gate] {
      ran = true;
      gate.set_value();
    });
    c.advance(ts::wait::eager);
    EXPECT_TRUE(ran);
  });
}

TEST_P(clock_test, a_finish_between_two_advances_joins_before_the_second) {
  std::array<int, 8> sums{};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      ts::async(ts::clocked(c), [&sums, c, i] {
        c.advance();
        std::atomic<int> mine{0};
        ts::finish([&mine] {
          for (int k = 0; k < 4; ++k) ts::async([&mine] { ++mine; });
        });
        sums[i] = mine;
        c.advance();
        for (const int s : sums) EXPECT_EQ(s, 4);
      });
    }
  });
}

// ---- figure 1 ----

// Figure 1 of uclocks.txt, with whole numbers, so that the sum of differences does not depend on the order of the atomic
// blocks; a third advance separates the reading of delta from its making. The program drops nothing by hand.
struct averaging {
  static constexpr std::size_t k_cells = 12;
  std::vector<std::int64_t> values;
  int iterations;
};

averaging average_one_by_one(std::vector<std::int64_t> a, std::int64_t epsilon) {
  std::vector<std::int64_t> b = a;
  int iterations = 0;
  for (std::int64_t delta = epsilon + 1; delta > epsilon; ++iterations) {
    delta = 0;
    for (std::size_t j = 1; j + 1 < a.size(); ++j) {
      b[j] = (a[j - 1] + a[j + 1]) / 2;
      delta += std::abs(b[j] - a[j]);
    }
    std::swap(a, b);
  }
  return {a, iterations};
}

averaging average_in_lock_step(std::vector<std::int64_t> a, std::int64_t epsilon) {
  std::vector<std::int64_t> b = a;
  std::int64_t delta = epsilon + 1;
  std::int64_t sum = 0;
  int iterations = 0;
  ts::finish([&] {
    const ts::clock c = ts::clock::make();
    for (std::size_t j = 1; j + 1 < a.size(); ++j) {
      ts::async(ts::clocked(c), [&, c, j] {
        while (delta > epsilon) {
          b[j] = (a[j - 1] + a[j + 1]) / 2;
          const std::int64_t difference = std::abs(b[j] - a[j]);
          c.advance();
          ts::atomic([&] { sum += difference; });
          c.advance();
          if (j == 1) {
            ++iterations;
            std::swap(a, b);
            delta = std::exchange(sum, 0);
          }
          c.advance();
        }
      });
    }
  });
  return {a, iterations};
}

TEST_P(clock_test, runs_figure_1_of_the_paper) {
  std::vector<std::int64_t> start(averaging::k_cells, 0);
  start.front() = 1'000'000;
  start.back() = 64'000'000;
  const std::int64_t epsilon = 2'000'000;
  const averaging expected = average_one_by_one(start, epsilon);
  const averaging got = run([&] { return average_in_lock_step(start, epsilon); });
  EXPECT_GT(expected.iterations, 5);
  EXPECT_EQ(got.iterations, expected.iterations);
  EXPECT_EQ(got.values, expected.values);
}

}  // namespace
