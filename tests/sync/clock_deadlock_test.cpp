// SPDX-License-Identifier: Apache-2.0
// A program that is stuck at its clocks ends, and says which clock, which phase, and who is registered and has not arrived.
#include <tactus/tactus.hpp>

#include "clock_members.hpp"
#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"
#include "sync/deadlock_reports.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using deadlock_reports::times_missing;
using support::caught;
using support::contains;

class clock_deadlock_test : public deadlock_reports::each_setting {};
TACTUS_EACH_SETTING(clock_deadlock_test);

TEST_P(clock_deadlock_test, report_names_the_clock_the_phase_and_who_has_not_arrived) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), ts::named("punctual"), [c] { c.advance(); });
      members::spawn_late(c, never.get_future(), ts::named("late"));
    });
  });
  EXPECT_TRUE(contains(report, "task 'punctual' waits for clock")) << report;
  EXPECT_TRUE(contains(report, "phase 0")) << report;
  EXPECT_EQ(times_missing(report, "'late'"), 1u) << report;
  EXPECT_EQ(times_missing(report, "'punctual'"), 0u) << report;
}

TEST_P(clock_deadlock_test, report_names_the_phase_that_was_reached) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), [c] {
        for (;;) c.advance();
      });
      ts::async(ts::clocked(c), ts::named("late"), [c, f = never.get_future()] {
        for (int k = 0; k < 7; ++k) c.advance();
        f.get();
      });
    });
  });
  EXPECT_TRUE(contains(report, "phase 7")) << report;
  EXPECT_EQ(times_missing(report, "'late'"), 1u) << report;
}

TEST_P(clock_deadlock_test, report_names_every_task_that_has_not_arrived_once_however_many_wait) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      for (int i = 0; i < 20; ++i) ts::async(ts::clocked(c), ts::named("punctual"), [c] { c.advance(); });
      for (int i = 0; i < 5; ++i) members::spawn_late(c, never.get_future(), ts::named("late-" + std::to_string(i)));
    });
  });
  for (int i = 0; i < 5; ++i) EXPECT_EQ(times_missing(report, "'late-" + std::to_string(i) + "'"), 1u) << report;
  EXPECT_EQ(times_missing(report, "'punctual'"), 0u) << report;
}

TEST_P(clock_deadlock_test, report_counts_a_task_that_has_resumed_as_arrived) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), [c] { c.advance(); });
      ts::async(ts::clocked(c), ts::named("resumed"), [c, f = never.get_future()] {
        c.resume();
        f.get();
      });
      members::spawn_late(c, never.get_future(), ts::named("late"));
    });
  });
  EXPECT_EQ(times_missing(report, "'resumed'"), 0u) << report;
  EXPECT_EQ(times_missing(report, "'late'"), 1u) << report;
}

TEST_P(clock_deadlock_test, report_does_not_count_a_task_that_has_dropped) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), [c] { c.advance(); });
      ts::async(ts::clocked(c), ts::named("dropped"), [c, f = never.get_future()] {
        c.drop();
        f.get();
      });
      members::spawn_late(c, never.get_future(), ts::named("late"));
    });
  });
  EXPECT_EQ(times_missing(report, "'dropped'"), 0u) << report;
  EXPECT_EQ(times_missing(report, "'late'"), 1u) << report;
}

TEST_P(clock_deadlock_test, report_names_a_missing_task_that_waits_in_a_finish) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), [c] { c.advance(); });
      ts::async(ts::clocked(c), ts::named("joining"),
                [f = never.get_future()] { ts::finish([&] { ts::async(ts::named("inner"), [f] { f.get(); }); }); });
    });
  });
  EXPECT_EQ(times_missing(report, "'joining'"), 1u) << report;
  EXPECT_TRUE(contains(report, "inner")) << report;
}

TEST_P(clock_deadlock_test, report_lists_missing_tasks_without_a_name_too) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), ts::named("punctual"), [c] { c.advance(); });
      members::spawn_late(c, never.get_future());
    });
  });
  EXPECT_EQ(times_missing(report, "unnamed"), 1u) << report;
}

TEST_P(clock_deadlock_test, of_two_clocks_advanced_in_opposite_order_names_both_tasks_on_both) {
  const std::string report = report_of([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    ts::async(ts::clocked(c, d), ts::named("c first"), [c, d] {
      c.advance();
      d.advance();
    });
    ts::async(ts::clocked(c, d), ts::named("d first"), [c, d] {
      d.advance();
      c.advance();
    });
  });
  EXPECT_TRUE(contains(report, "task 'c first' waits for clock")) << report;
  EXPECT_TRUE(contains(report, "task 'd first' waits for clock")) << report;
  EXPECT_EQ(times_missing(report, "'c first'"), 1u) << report;
  EXPECT_EQ(times_missing(report, "'d first'"), 1u) << report;
}

TEST_P(clock_deadlock_test, report_names_clocks_of_advance_all_that_do_not_move) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      const ts::clock d = ts::clock::make();
      ts::async(ts::clocked(c, d), ts::named("all"), [] { ts::advance_all(); });
      members::spawn_late(d, never.get_future(), ts::named("late"));
    });
  });
  EXPECT_TRUE(contains(report, "task 'all' waits for clock")) << report;
  EXPECT_EQ(times_missing(report, "'late'"), 1u) << report;
}

TEST_P(clock_deadlock_test, of_a_task_that_waits_in_get_for_one_who_waits_for_its_arrival_names_both) {
  const std::string report = report_of([] {
    const ts::clock c = ts::clock::make();
    const ts::future<int> f = ts::async_future(ts::clocked(c), ts::named("answer"), [c] {
      c.advance();
      return 1;
    });
    ts::async(ts::clocked(c), ts::named("asker"), [f] { static_cast<void>(f.get()); });
  });
  EXPECT_TRUE(contains(report, "task 'answer' waits for clock")) << report;
  EXPECT_TRUE(contains(report, "task 'asker' waits for")) << report;
  EXPECT_EQ(times_missing(report, "'asker'"), 1u) << report;
}

TEST_P(clock_deadlock_test, is_thrown_from_the_advance_of_every_task_that_waits) {
  const std::size_t n = support::scaled(300, 20);
  std::atomic<std::size_t> thrown{0};
  const auto e = error_of([&] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      for (std::size_t i = 0; i < n; ++i) {
        ts::async(ts::clocked(c), [&thrown, c] {
          if (caught<ts::deadlock_error>([&] { c.advance(); })) ++thrown;
        });
      }
      members::spawn_late(c, never.get_future(), ts::named("late"));
    });
  });
  EXPECT_TRUE(e);
  EXPECT_EQ(thrown.load(), n);
}

TEST_P(clock_deadlock_test, unwinds_the_stacks_and_lets_every_finish_end) {
  struct counted {
    explicit counted(std::atomic<int>& n) : alive(n) { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }
    std::atomic<int>& alive;
  };
  std::atomic<int> alive{0};
  bool ended = false;
  EXPECT_TRUE(error_of([&] {
    const ts::promise<void> never;
    EXPECT_TRUE(caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        for (int i = 0; i < 10; ++i) {
          ts::async(ts::clocked(c), [&alive, c] {
            const counted here(alive);
            c.advance();
          });
        }
        members::spawn_late(c, never.get_future(), ts::named("late"));
      });
    }));
    ended = true;
  }));
  EXPECT_EQ(alive.load(), 0);
  EXPECT_TRUE(ended);
}

TEST_P(clock_deadlock_test, makes_a_further_advance_that_would_wait_throw_at_once) {
  std::atomic<int> thrown{0};
  EXPECT_TRUE(error_of([&] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      const ts::clock d = ts::clock::make();
      ts::async(ts::clocked(c, d), [&thrown, c, d] {
        for (int i = 0; i < 3; ++i) {
          if (caught<ts::deadlock_error>([&] { c.advance(); })) ++thrown;
        }
        if (caught<ts::deadlock_error>([&] { d.advance(); })) ++thrown;
      });
      // Keeps both clocks back until the other task is through.
      ts::async(ts::clocked(c, d), [&thrown, f = never.get_future()] {
        EXPECT_TRUE(caught<ts::deadlock_error>([&] { f.get(); }));
        while (thrown != 4) ts::yield();
      });
    });
  }));
  EXPECT_EQ(thrown.load(), 4);
}

TEST_P(clock_deadlock_test, carries_what_else_escaped) {
  const auto e = error_of([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    ts::async(ts::clocked(c, d), [c] { c.advance(); });
    ts::async(ts::clocked(c, d), [d] {
      if (caught<ts::deadlock_error>([&] { d.advance(); })) throw std::runtime_error("while unwinding");
    });
  });
  ASSERT_TRUE(e);
  const auto others = ts::multiple_exceptions(e->exceptions()).flattened();
  EXPECT_EQ(support::messages(others), std::vector<std::string>{"while unwinding"});
}

TEST_P(clock_deadlock_test, can_be_followed_by_a_run_with_clocks) {
  ts::runtime rt(support::config_of(GetParam().workers, GetParam().policy));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(caught<ts::deadlock_error>([&] {
      rt.run([] {
        const ts::clock c = ts::clock::make();
        const ts::promise<void> never;
        ts::async(ts::clocked(c), [c] { c.advance(); });
        never.get_future().get();
      });
    }));
    std::atomic<int> passed{0};
    rt.run([&] {
      const ts::clock c = ts::clock::make();
      for (int k = 0; k < 5; ++k) members::spawn_advancing(c, passed, 2);
    });
    EXPECT_EQ(passed.load(), 5);
  }
}

class no_clock_deadlock_test : public support::each_setting {};
TACTUS_EACH_SETTING(no_clock_deadlock_test);

TEST_P(no_clock_deadlock_test, while_the_missing_task_yields_or_computes) {
  run([] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < 10; ++i) {
      ts::async(ts::clocked(c), [c] {
        for (int k = 0; k < 10; ++k) c.advance();
      });
    }
    for (int k = 0; k < 10; ++k) {
      for (int i = 0; i < 50; ++i) ts::yield();
      for (int i = 0; i < 50; ++i) std::this_thread::yield();
      c.advance();
    }
  });
}

TEST_P(no_clock_deadlock_test, while_the_missing_task_waits_for_a_thread) {
  const ts::promise<void> p(ts::external);
  std::atomic<bool> waiting{false};
  std::thread outside([&] {
    while (!waiting) std::this_thread::yield();
    p.set_value();
  });
  std::atomic<int> passed{0};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < 10; ++i) members::spawn_advancing(c, passed);
    waiting = true;
    p.get_future().get();
    c.advance();
  });
  outside.join();
  EXPECT_EQ(passed.load(), 10);
}

TEST_P(no_clock_deadlock_test, in_short_runs_in_which_workers_fall_asleep_between_phases) {
  for (std::size_t round = 0; round < support::scaled(40, 5); ++round) {
    std::atomic<int> passed{0};
    run([&] {
      const ts::clock c = ts::clock::make();
      for (int i = 0; i < 3; ++i) members::spawn_advancing(c, passed, 5, ts::wait::lazy);
    });
    ASSERT_EQ(passed.load(), 3);
  }
}

}  // namespace
