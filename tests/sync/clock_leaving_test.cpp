// SPDX-License-Identifier: Apache-2.0
// clock: how a task leaves it, by drop, by its end, and for the maker by the end of the finish around it.
#include <tactus/tactus.hpp>

#include "clock_members.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

class clock_leaving_test : public support::each_setting {};
TACTUS_EACH_SETTING(clock_leaving_test);

// ---- by drop and by the end of a task ----

TEST_P(clock_leaving_test, drop_leaves_the_clock) {
  run([] {
    const ts::clock c = ts::clock::make();
    c.drop();
    EXPECT_FALSE(c.registered());
    EXPECT_TRUE(c.dropped());
  });
}

TEST_P(clock_leaving_test, drop_releases_those_who_waited_for_this_task) {
  int after = 0;
  run([&] {
    const ts::clock c = ts::clock::make();
    const ts::future<void> passed = members::spawn_telling(c);
    c.drop();
    passed.get();
    after = 1;
  });
  EXPECT_EQ(after, 1);
}

TEST_P(clock_leaving_test, drop_after_a_resume_leaves_the_arrival_counted_once) {
  run([] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> arrived{false};
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        ts::async(ts::clocked(c), [&arrived] {
          ts::yield();
          arrived = true;
        });
        ts::async(ts::clocked(c), [&arrived, c] {
          c.advance();
          EXPECT_TRUE(arrived);
        });
        c.resume();
        c.drop();
      });
    }
  });
}

TEST_P(clock_leaving_test, drop_by_the_only_one_who_has_not_resumed_moves_the_clock) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::promise<void> resumed;
    ts::async(ts::clocked(c), [c, resumed] {
      c.resume();
      resumed.set_value();
      c.advance();
      EXPECT_EQ(c.phase(), 1u);
    });
    resumed.get_future().get();
    c.drop();
  });
}

TEST_P(clock_leaving_test, drop_after_the_clock_has_moved_on_takes_effect_in_its_phase) {
  int passed = 0;
  run([&] {
    const ts::promise<void> in_phase_1;
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [&passed, c, in_phase_1] {
      c.advance();
      in_phase_1.set_value();
      c.advance();
      ++passed;
      c.advance();
      ++passed;
    });
    c.resume();
    in_phase_1.get_future().get();
    c.drop();  // in phase 0, resumed, while the clock is in phase 1
  });
  EXPECT_EQ(passed, 2);
}

TEST_P(clock_leaving_test, end_of_a_task_drops_its_clocks) {
  int passed = 0;
  run([&] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    ts::async(ts::clocked(c, d), [] {});
    ts::async(ts::clocked(c, d), [c] { c.advance(); });
    for (int k = 0; k < 5; ++k) {
      c.advance();
      d.advance();
      ++passed;
    }
  });
  EXPECT_EQ(passed, 5);
}

TEST_P(clock_leaving_test, captures_of_a_task_are_destroyed_before_it_is_dropped) {
  struct last_word {
    last_word(bool* said_to, const ts::clock& on) : said(said_to), c(on) {}
    last_word(last_word&& other) noexcept : said(std::exchange(other.said, nullptr)), c(other.c) {}
    last_word& operator=(last_word&&) = delete;
    ~last_word() {
      if (said == nullptr) return;
      EXPECT_TRUE(c.registered());
      *said = true;  // plain: it happens before the advance of whoever waits
    }
    bool* said;
    ts::clock c;
  };
  using enum ts::spawn_policy;
  run([] {
    for (const ts::spawn_policy policy : {work_first, help_first}) {
      bool said = false;
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        ts::async(policy, ts::clocked(c), [capture = last_word(&said, c)] { EXPECT_NE(capture.said, nullptr); });
        c.advance();
        EXPECT_TRUE(said);
      });
    }
  });
}

TEST_P(clock_leaving_test, may_be_dropped_inside_an_inner_finish) {
  int after = 0;
  run([&] {
    const ts::clock c = ts::clock::make();
    const ts::future<void> passed = members::spawn_telling(c);
    ts::finish([&] {
      c.drop();
      ts::async([&after, passed] {
        passed.get();
        after = 1;
      });
    });
    EXPECT_EQ(after, 1);
    EXPECT_FALSE(c.registered());
  });
}

TEST_P(clock_leaving_test, may_be_advanced_inside_an_inner_finish) {
  run([] {
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [c] { c.advance(); });
    ts::finish([&] {
      ts::async([] { ts::yield(); });
      c.advance();
    });
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_leaving_test, a_task_that_left_one_clock_may_make_and_use_another) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), [c] { c.advance(); });
      c.advance();
      c.drop();
    }
  });
}

// ---- the maker, and the end of its finish ----

TEST_P(clock_leaving_test, maker_is_dropped_when_the_body_of_its_finish_ends) {
  std::atomic<int> passed{0};
  run([&] {
    std::vector<ts::clock> kept;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      kept.push_back(c);
      for (int i = 0; i < 10; ++i) members::spawn_advancing(c, passed);
    });
    EXPECT_EQ(passed.load(), 10);
    EXPECT_FALSE(kept.front().registered());
    EXPECT_TRUE(kept.front().dropped());
  });
}

TEST_P(clock_leaving_test, maker_is_dropped_when_the_body_of_the_run_ends) {
  std::atomic<int> passed{0};
  run([&] {
    const ts::clock c = ts::clock::make();
    members::spawn_advancing(c, passed);
  });
  EXPECT_EQ(passed.load(), 1);
}

TEST_P(clock_leaving_test, maker_in_an_inner_finish_is_dropped_there_and_not_later) {
  std::atomic<int> passed{0};
  run([&] {
    const ts::clock outer = ts::clock::make();
    ts::finish([&] {
      const ts::clock inner = ts::clock::make();
      members::spawn_advancing(inner, passed);
    });
    EXPECT_EQ(passed.load(), 1);
    EXPECT_TRUE(outer.registered());
    outer.advance();
    EXPECT_EQ(outer.phase(), 1u);
  });
}

TEST_P(clock_leaving_test, maker_in_a_called_function_is_dropped_with_the_innermost_finish_around_the_call) {
  run([] {
    const auto make = [] { return ts::clock::make(); };
    std::vector<ts::clock> kept;
    ts::finish([&] {
      kept.push_back(make());
      EXPECT_TRUE(kept.front().registered());
      kept.front().advance();
    });
    EXPECT_FALSE(kept.front().registered());
  });
}

TEST_P(clock_leaving_test, of_a_clocked_finish_is_handed_to_its_body) {
  std::array<std::atomic<int>, 3> arrived{};
  run([&] {
    ts::finish(ts::clocked, [&](ts::clock c) {
      EXPECT_TRUE(c.registered());
      EXPECT_EQ(c.phase(), 0u);
      for (int i = 0; i < 5; ++i) {
        ts::async(ts::clocked(c), [&arrived, c] {
          for (auto& n : arrived) {
            ++n;
            c.advance();
            EXPECT_EQ(n.load(), 5);
          }
        });
      }
    });
  });
  for (const auto& n : arrived) EXPECT_EQ(n.load(), 5);
}

TEST_P(clock_leaving_test, of_a_clocked_finish_inside_another_is_a_clock_of_its_own) {
  std::atomic<int> passed{0};
  run([&] {
    ts::finish(ts::clocked, [&](ts::clock outer) {
      ts::async(ts::clocked(outer), [outer] { outer.advance(); });
      ts::finish(ts::clocked, [&passed, outer](ts::clock inner) {
        EXPECT_FALSE(inner == outer);
        members::spawn_advancing(inner, passed);
      });
      EXPECT_EQ(passed.load(), 1);
      EXPECT_TRUE(outer.registered());
      outer.advance();
    });
  });
}

}  // namespace
