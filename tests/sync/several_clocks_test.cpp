// SPDX-License-Identifier: Apache-2.0
// clock: a task on more than one, advance_all and resume_all.
#include <tactus/tactus.hpp>

#include "clock_members.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <vector>

namespace ts = tactus;

namespace {

class several_clocks_test : public support::each_setting {};
TACTUS_EACH_SETTING(several_clocks_test);

TEST_P(several_clocks_test, runs_on_while_another_stands) {
  run([] {
    const ts::clock standing = ts::clock::make();
    ts::async(ts::clocked(standing), [standing] { standing.advance(); });
    const ts::clock running = ts::clock::make();
    const ts::promise<void> done;
    ts::async(ts::clocked(running), [running, done] {
      for (int k = 0; k < 20; ++k) running.advance();
      done.set_value();
    });
    running.drop();
    done.get_future().get();
    EXPECT_EQ(standing.phase(), 0u);
    standing.advance();
  });
}

TEST_P(several_clocks_test, advance_all_resumes_all_before_it_waits_for_any) {
  // The two others take the clocks one by one, in either order; a wait for the first before the resume of the second
  // would be for ever.
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    for (int round = 0; round < 10; ++round) {
      ts::async(ts::clocked(c, d), [c, d] {
        c.resume();
        d.advance();
        c.advance();
      });
      ts::async(ts::clocked(c, d), [c, d] {
        d.resume();
        c.advance();
        d.advance();
      });
      ts::advance_all();
    }
    EXPECT_EQ(c.phase(), 10u);
    EXPECT_EQ(d.phase(), 10u);
  });
}

TEST_P(several_clocks_test, advance_all_waits_for_all) {
  std::atomic<bool> c_arrived{false};
  std::atomic<bool> d_arrived{false};
  run([&] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    ts::async(ts::clocked(c), [&c_arrived, c] {
      ts::yield();
      c_arrived = true;
      c.advance();
    });
    ts::async(ts::clocked(d), [&d_arrived, d] {
      ts::yield();
      d_arrived = true;
      d.advance();
    });
    ts::advance_all();
    EXPECT_TRUE(c_arrived);
    EXPECT_TRUE(d_arrived);
  });
}

TEST_P(several_clocks_test, advance_all_by_everyone_keeps_many_clocks_in_step) {
  std::array<std::atomic<int>, 10> arrived{};
  run([&] {
    const std::vector<ts::clock> clocks = {ts::clock::make(), ts::clock::make(), ts::clock::make(), ts::clock::make()};
    for (int i = 0; i < 6; ++i) {
      ts::async(ts::clocked(clocks[0], clocks[1], clocks[2], clocks[3]), [&arrived] {
        for (auto& n : arrived) {
          ++n;
          ts::advance_all();
          EXPECT_EQ(n.load(), 6);
        }
      });
    }
  });
}

TEST_P(several_clocks_test, resume_all_resumes_every_clock_of_the_task) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    const ts::future<void> c_passed = members::spawn_telling(c);
    const ts::future<void> d_passed = members::spawn_telling(d);
    ts::resume_all();
    c_passed.get();
    d_passed.get();
    EXPECT_EQ(c.phase(), 0u);
    ts::advance_all();
    EXPECT_EQ(c.phase(), 1u);
    EXPECT_EQ(d.phase(), 1u);
  });
}

TEST_P(several_clocks_test, advance_all_after_a_resume_of_one_arrives_there_once) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    std::atomic<bool> arrived{false};
    ts::async(ts::clocked(c, d), [&arrived] {
      ts::yield();
      arrived = true;
      ts::advance_all();
    });
    c.resume();
    ts::advance_all();
    EXPECT_TRUE(arrived);
    EXPECT_EQ(c.phase(), 1u);
    EXPECT_EQ(d.phase(), 1u);
  });
}

TEST_P(several_clocks_test, advance_all_and_resume_all_without_any_clock_do_nothing) {
  int after = 0;
  run([&] {
    ts::resume_all();
    ts::advance_all();
    const ts::clock c = ts::clock::make();
    ts::finish([&] {
      ts::async([&after] {
        ts::resume_all();
        ts::advance_all();
        after = 1;
      });
    });
    EXPECT_EQ(c.phase(), 0u);
    c.drop();
    ts::advance_all();
  });
  EXPECT_EQ(after, 1);
}

TEST_P(several_clocks_test, a_task_that_shares_one_clock_of_two_may_run_a_phase_ahead) {
  // The middle task ties the left one to the right one only as far as it has resumed.
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    const ts::future<void> left_passed = members::spawn_telling(c);
    ts::async(ts::clocked(d), [d, left_passed] {
      left_passed.get();  // still in phase 0 of d when the left task is in phase 1 of c
      d.advance();
    });
    ts::advance_all();
  });
}

}  // namespace
