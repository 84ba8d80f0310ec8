// SPDX-License-Identifier: Apache-2.0
// clock: resume and advance as the two halves of a phase.
#include <tactus/tactus.hpp>

#include "clock_members.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace ts = tactus;

namespace {

class clock_split_phase_test : public support::each_setting {};
TACTUS_EACH_SETTING(clock_split_phase_test);

TEST_P(clock_split_phase_test, resume_returns_while_others_are_missing) {
  bool passed = false;
  run([&] {
    const ts::promise<void> gate;
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [&passed, c, opened = gate.get_future()] {
      opened.get();
      c.advance();
      passed = true;
    });
    c.resume();
    gate.set_value();
    c.advance();
  });
  EXPECT_TRUE(passed);
}

TEST_P(clock_split_phase_test, resume_lets_the_others_go_on_without_this_task) {
  bool others_went_on = false;
  run([&] {
    const ts::clock c = ts::clock::make();
    const ts::future<void> passed = members::spawn_telling(c);
    c.resume();
    passed.get();
    others_went_on = true;
  });
  EXPECT_TRUE(others_went_on);
}

TEST_P(clock_split_phase_test, resume_twice_in_a_phase_counts_once) {
  run([] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> arrived{false};
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        ts::async(ts::clocked(c), [&arrived, c] {
          ts::yield();
          arrived = true;
          c.advance();
        });
        c.resume();
        c.resume();
        c.resume(ts::wait::lazy);
        c.advance();
        EXPECT_TRUE(arrived);
      });
    }
  });
}

TEST_P(clock_split_phase_test, resume_after_the_clock_has_moved_on_does_not_count_for_the_next_phase) {
  run([] {
    std::atomic<bool> arrived{false};
    const ts::promise<void> passed;
    ts::finish([&] {
      const ts::clock d = ts::clock::make();
      ts::async(ts::clocked(d), [&arrived, d, passed] {
        d.advance();
        passed.set_value();
        d.advance();
        EXPECT_TRUE(arrived);
      });
      d.resume();
      passed.get_future().get();  // the clock is in phase 1 now
      d.resume();                 // of phase 0 still
      EXPECT_EQ(d.phase(), 0u);
      ts::yield();
      d.advance();
      arrived = true;
    });
  });
}

TEST_P(clock_split_phase_test, advance_after_the_clock_has_moved_on_returns_at_once) {
  run([] {
    const ts::promise<void> moved;
    const ts::promise<void> returned;
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [c, moved, opened = returned.get_future()] {
      c.advance();
      moved.set_value();
      opened.get();  // does not arrive in phase 1 before the other's advance has returned
      c.advance();
    });
    c.resume();
    moved.get_future().get();
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
    returned.set_value();
    c.advance();
    EXPECT_EQ(c.phase(), 2u);
  });
}

TEST_P(clock_split_phase_test, phase_moves_at_advance_and_not_at_resume) {
  run([] {
    const ts::clock c = ts::clock::make();
    c.resume();
    EXPECT_EQ(c.phase(), 0u);
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_split_phase_test, runs_at_most_one_phase_ahead_of_a_task_that_has_resumed) {
  std::atomic<bool> arrived{false};
  run([&] {
    const ts::promise<void> in_phase_1;
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [&arrived, c, in_phase_1] {
      c.advance();
      in_phase_1.set_value();
      c.advance();
      EXPECT_TRUE(arrived);
    });
    c.resume();
    in_phase_1.get_future().get();
    c.advance();
    arrived = true;
    c.resume();
  });
}

}  // namespace
