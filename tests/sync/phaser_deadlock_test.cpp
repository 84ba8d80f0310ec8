// SPDX-License-Identifier: Apache-2.0
// A program that is stuck at its phasers ends, and says who waits for which phaser, in which phase, and who has not signalled.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"
#include "sync/deadlock_reports.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

using deadlock_reports::times_missing;
using support::caught;
using support::contains;
using enum ts::phaser_mode;

class phaser_deadlock_test : public deadlock_reports::each_setting {};
TACTUS_EACH_SETTING(phaser_deadlock_test);

// Registers a task of this name on ph that waits for a promise that nobody sets.
void spawn_missing(const ts::phaser& ph, ts::phaser_mode mode, const std::string& name, const ts::future<void>& never) {
  ts::async(ts::phased(ph.as(mode)), ts::named(name), [never] { never.get(); });
}

TEST_P(phaser_deadlock_test, report_names_the_phaser_the_phase_and_who_has_not_signalled) {
  for (const ts::phaser_mode mode : {signal_wait, signal_only}) {
    const std::string report = report_of([mode] {
      const ts::promise<void> never;
      ts::finish([&] {
        const ts::phaser ph;
        ts::async(ts::phased(ph), ts::named("punctual"), [ph] { ph.next(); });
        spawn_missing(ph, mode, "late", never.get_future());
      });
    });
    EXPECT_TRUE(contains(report, "task 'punctual' waits for phaser")) << report;
    EXPECT_TRUE(contains(report, "phase 0")) << report;
    EXPECT_EQ(times_missing(report, "'late'"), 1u) << report;
    EXPECT_EQ(times_missing(report, "'punctual'"), 0u) << report;
  }
}

TEST_P(phaser_deadlock_test, report_names_the_phase_that_was_reached) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::phaser ph;
      ts::async(ts::phased(ph.as(wait_only)), [ph] {
        for (;;) ph.wait();
      });
      ts::async(ts::phased(ph.as(signal_only)), ts::named("late"), [ph, f = never.get_future()] {
        for (int k = 0; k < 7; ++k) ph.signal();
        f.get();
      });
    });
  });
  EXPECT_TRUE(contains(report, "phase 7")) << report;
  EXPECT_EQ(times_missing(report, "'late'"), 1u) << report;
}

TEST_P(phaser_deadlock_test, report_counts_no_wait_only_task_as_missing) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::phaser ph;
      ts::async(ts::phased(ph.as(wait_only)), ts::named("punctual"), [ph] { ph.wait(); });
      spawn_missing(ph, wait_only, "onlooker", never.get_future());
      spawn_missing(ph, signal_only, "late", never.get_future());
    });
  });
  EXPECT_TRUE(contains(report, "task 'punctual' waits for phaser")) << report;
  EXPECT_EQ(times_missing(report, "'onlooker'"), 0u) << report;
  EXPECT_EQ(times_missing(report, "'late'"), 1u) << report;
}

TEST_P(phaser_deadlock_test, report_counts_a_task_that_has_signalled_or_dropped_as_none_that_is_missing) {
  const std::string report = report_of([] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::phaser ph;
      ts::async(ts::phased(ph), ts::named("punctual"), [ph] { ph.next(); });
      ts::async(ts::phased(ph), ts::named("signalled"), [ph, f = never.get_future()] {
        ph.signal();
        f.get();
      });
      ts::async(ts::phased(ph), ts::named("dropped"), [ph, f = never.get_future()] {
        ph.drop();
        f.get();
      });
      spawn_missing(ph, signal_wait, "late", never.get_future());
    });
  });
  EXPECT_EQ(times_missing(report, "'signalled'"), 0u) << report;
  EXPECT_EQ(times_missing(report, "'dropped'"), 0u) << report;
  EXPECT_EQ(times_missing(report, "'late'"), 1u) << report;
}

TEST_P(phaser_deadlock_test, of_two_phasers_waited_for_in_opposite_order_names_both_tasks_on_both) {
  const std::string report = report_of([] {
    const ts::phaser p;
    const ts::phaser q;
    ts::async(ts::phased(p, q), ts::named("p first"), [p, q] {
      p.next();
      q.next();
    });
    ts::async(ts::phased(p, q), ts::named("q first"), [p, q] {
      q.next();
      p.next();
    });
  });
  EXPECT_TRUE(contains(report, "task 'p first' waits for phaser")) << report;
  EXPECT_TRUE(contains(report, "task 'q first' waits for phaser")) << report;
  EXPECT_EQ(times_missing(report, "'p first'"), 1u) << report;
  EXPECT_EQ(times_missing(report, "'q first'"), 1u) << report;
}

TEST_P(phaser_deadlock_test, of_a_ring_of_waits_without_signals_names_every_task) {
  static constexpr std::size_t k_tasks = 5;
  const std::string report = report_of([] {
    ts::finish([] {
      std::vector<ts::phaser> of;
      for (std::size_t i = 0; i < k_tasks; ++i) of.emplace_back(signal_wait);
      for (std::size_t i = 0; i < k_tasks; ++i) {
        ts::async(ts::phased(of[i].as(signal_only), of[(i + 1) % k_tasks].as(wait_only)),
                  ts::named("ring-" + std::to_string(i)), [mine = of[i], other = of[(i + 1) % k_tasks]] {
                    other.wait();
                    mine.signal();
                  });
      }
    });
  });
  for (std::size_t i = 0; i < k_tasks; ++i) {
    const std::string name = "'ring-" + std::to_string(i) + "'";
    EXPECT_TRUE(contains(report, "task " + name + " waits for phaser")) << report;
    EXPECT_EQ(times_missing(report, name), 1u) << report;
  }
}

TEST_P(phaser_deadlock_test, of_a_signaller_at_its_bound_is_thrown_from_its_signal) {
  std::atomic<int> given{0};
  std::atomic<int> thrown{0};
  const std::string report = report_of([&] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::phaser ph(signal_wait, ts::bound{3});
      ts::async(ts::phased(ph.as(signal_only)), ts::named("producer"), [&given, &thrown, ph] {
        try {
          for (;;) {
            ph.signal();
            ++given;
          }
        } catch (const ts::deadlock_error&) {
          ++thrown;
        }
      });
      spawn_missing(ph, wait_only, "sleeper", never.get_future());
    });
  });
  EXPECT_TRUE(contains(report, "task 'producer' waits for phaser")) << report;
  EXPECT_TRUE(contains(report, "task 'sleeper' waits for")) << report;
  EXPECT_TRUE(contains(report, "(bound 3): task 'sleeper', which has waited for 0 phases")) << report;
  EXPECT_EQ(given.load(), 3);
  EXPECT_EQ(thrown.load(), 1);
}

TEST_P(phaser_deadlock_test, is_thrown_from_every_way_to_wait) {
  std::atomic<int> thrown{0};
  const auto e = error_of([&] {
    const ts::promise<void> never;
    ts::finish([&] {
      const ts::phaser ph(signal_wait_next);
      const auto spawn = [&](ts::phaser_mode mode, auto wait) {
        ts::async(ts::phased(ph.as(mode)), [&thrown, wait] {
          if (caught<ts::deadlock_error>(wait)) ++thrown;
        });
      };
      spawn(signal_wait, [ph] { ph.next(); });
      spawn(signal_wait, [ph] {
        ph.signal();
        ph.wait();
      });
      spawn(signal_wait, [] { ts::next(); });
      spawn(signal_wait, [] { ts::advance_all(); });
      spawn(wait_only, [ph] { ph.wait(); });
      spawn(signal_wait_next, [ph] { ph.next_single([] { ADD_FAILURE() << "has run"; }); });
      spawn(signal_wait_next, [] { ts::next_single([] { ADD_FAILURE() << "has run"; }); });
      // Ends only after all the others: its end would otherwise end the phase.
      ts::async(ts::phased(ph), [&thrown, f = never.get_future()] {
        EXPECT_TRUE(caught<ts::deadlock_error>([&] { f.get(); }));
        while (thrown != 7) ts::yield();
      });
    });
  });
  EXPECT_TRUE(e);
  EXPECT_EQ(thrown.load(), 7);
}

TEST_P(phaser_deadlock_test, carries_what_else_escaped) {
  const auto e = error_of([] {
    const ts::phaser p;
    const ts::phaser q;
    ts::async(ts::phased(p, q), [p] { p.next(); });
    ts::async(ts::phased(p, q), [q] {
      if (caught<ts::deadlock_error>([&] { q.next(); })) throw std::runtime_error("while unwinding");
    });
  });
  ASSERT_TRUE(e);
  const auto others = ts::multiple_exceptions(e->exceptions()).flattened();
  EXPECT_EQ(support::messages(others), std::vector<std::string>{"while unwinding"});
}

TEST_P(phaser_deadlock_test, can_be_followed_by_a_run_with_phasers) {
  ts::runtime rt(support::config_of(GetParam().workers, GetParam().policy));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(caught<ts::deadlock_error>([&] {
      rt.run([] {
        const ts::phaser ph;
        const ts::promise<void> never;
        ts::async(ts::phased(ph), [ph] { ph.next(); });
        never.get_future().get();
      });
    }));
    std::atomic<int> passed{0};
    rt.run([&] {
      const ts::phaser ph;
      for (int k = 0; k < 5; ++k) {
        ts::async(ts::phased(ph), [&passed, ph] {
          ph.next();
          ph.next();
          ++passed;
        });
      }
    });
    EXPECT_EQ(passed.load(), 5);
  }
}

class no_phaser_deadlock_test : public support::each_setting {};
TACTUS_EACH_SETTING(no_phaser_deadlock_test);

TEST_P(no_phaser_deadlock_test, while_the_missing_task_yields_or_computes) {
  run([] {
    const ts::phaser ph(signal_wait, ts::bound{1});
    for (int i = 0; i < 10; ++i) {
      ts::async(ts::phased(ph.as(i % 2 == 0 ? signal_wait : signal_only)), [ph] {
        for (int k = 0; k < 10; ++k) ph.next();
      });
    }
    for (int k = 0; k < 10; ++k) {
      for (int i = 0; i < 50; ++i) ts::yield();
      ph.next();
    }
  });
}

TEST_P(no_phaser_deadlock_test, in_short_runs_in_which_workers_fall_asleep_between_phases) {
  for (std::size_t round = 0; round < support::scaled(40, 5); ++round) {
    std::atomic<int> passed{0};
    run([&] {
      const ts::phaser ph(signal_wait, ts::bound{1});
      ts::async(ts::phased(ph.as(signal_only)), [&passed, ph] {
        for (int k = 0; k < 5; ++k) ph.signal();
        ++passed;
      });
      ts::async(ts::phased(ph.as(wait_only)), [&passed, ph] {
        for (int k = 0; k < 5; ++k) ph.wait();
        ++passed;
      });
    });
    ASSERT_EQ(passed.load(), 2);
  }
}

}  // namespace
