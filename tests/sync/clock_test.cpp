// SPDX-License-Identifier: Apache-2.0
// clock: what it means. Misuse, deadlocks, costs and storms have files of their own.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;

// A test whose clock moves too late does not hang: the run ends with deadlock_error, which the test does not expect.
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
        ts::async(ts::clocked(c), [&passed, c] {
          c.advance();
          ++passed;
        });
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
    for (int i = 0; i < 100; ++i) {
      ts::async(ts::clocked(c), [&passed, c] {
        c.advance();
        ++passed;
      });
    }
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
    ts::async(ts::spawn_policy::help_first, ts::clocked(c), [opened = gate.get_future()] { opened.get(); });
    ts::async(ts::spawn_policy::help_first, [&ran, gate] {
      ran = true;
      gate.set_value();
    });
    c.advance(ts::wait::eager);
    EXPECT_TRUE(ran);
  });
}

// ---- split phase ----

TEST_P(clock_test, resume_returns_while_others_are_missing) {
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

TEST_P(clock_test, resume_lets_the_others_go_on_without_this_task) {
  bool others_went_on = false;
  run([&] {
    const ts::promise<void> passed;
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [passed, c] {
      c.advance();
      passed.set_value();
    });
    c.resume();
    passed.get_future().get();
    others_went_on = true;
  });
  EXPECT_TRUE(others_went_on);
}

TEST_P(clock_test, resume_twice_in_a_phase_counts_once) {
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

TEST_P(clock_test, resume_after_the_clock_has_moved_on_does_not_count_for_the_next_phase) {
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

TEST_P(clock_test, advance_after_the_clock_has_moved_on_returns_at_once) {
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

TEST_P(clock_test, phase_moves_at_advance_and_not_at_resume) {
  run([] {
    const ts::clock c = ts::clock::make();
    c.resume();
    EXPECT_EQ(c.phase(), 0u);
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_test, runs_at_most_one_phase_ahead_of_a_task_that_has_resumed) {
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

// ---- joining ----

TEST_P(clock_test, gives_a_child_its_parents_phase) {
  run([] {
    const ts::clock c = ts::clock::make();
    for (std::uint64_t k = 0; k < 5; ++k) {
      ts::async(ts::clocked(c), [c, k] { EXPECT_EQ(c.phase(), k); });
      c.advance();
    }
  });
}

TEST_P(clock_test, gives_a_child_its_parents_resume) {
  // The child does not arrive before the root has passed: if it were missing, nobody would ever pass.
  run([] {
    const ts::promise<void> root_passed;
    const ts::promise<void> last_may_arrive;
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [opened = last_may_arrive.get_future()] { opened.get(); });
    c.resume();
    ts::async(ts::clocked(c), [c, opened = root_passed.get_future()] {
      EXPECT_EQ(c.phase(), 0u);
      opened.get();
      EXPECT_EQ(c.phase(), 0u);
      c.advance();
      EXPECT_EQ(c.phase(), 1u);
    });
    last_may_arrive.set_value();
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
    root_passed.set_value();
  });
}

TEST_P(clock_test, waits_in_the_next_phase_for_the_child_of_a_resumed_parent) {
  run([] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> arrived{false};
      ts::finish([&] {
        const ts::promise<void> spawned;
        const ts::clock c = ts::clock::make();
        ts::async(ts::clocked(c), [opened = spawned.get_future()] { opened.get(); });
        c.resume();
        ts::async(ts::clocked(c), [&arrived, c] {
          c.advance();
          ts::yield();
          arrived = true;
        });
        spawned.set_value();
        c.advance();
        c.advance();
        EXPECT_TRUE(arrived);
      });
    }
  });
}

TEST_P(clock_test, gives_a_child_its_parents_phase_also_when_it_has_moved_on) {
  run([] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> arrived{false};
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        c.resume();  // alone, so the clock is in phase 1 now and this task in phase 0, resumed
        ts::async(ts::clocked(c), [&arrived, c] {
          EXPECT_EQ(c.phase(), 0u);
          c.advance();
          EXPECT_EQ(c.phase(), 1u);
          ts::yield();
          arrived = true;
        });
        c.advance();
        c.advance();
        EXPECT_TRUE(arrived);
      });
    }
  });
}

TEST_P(clock_test, can_be_joined_by_a_child_in_every_phase) {
  static constexpr std::size_t k_phases = 30;
  std::array<std::atomic<std::size_t>, k_phases> arrived{};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (std::size_t k = 0; k < k_phases; ++k) {
      ts::async(ts::clocked(c), [&arrived, c, k] {
        for (std::size_t at = k; at < k_phases; ++at) {
          ++arrived[at];
          c.advance();
          EXPECT_EQ(arrived[at].load(), at + 1);
        }
      });
      c.advance();
    }
  });
}

TEST_P(clock_test, can_be_joined_by_children_of_children) {
  struct tree {
    static void grow(const ts::clock& c, std::array<std::atomic<int>, 6>& born, std::size_t level) {
      ++born[level];
      c.advance();
      EXPECT_EQ(born[level].load(), 1 << level);
      EXPECT_EQ(c.phase(), level + 1);
      if (level + 1 == born.size()) return;
      for (int side = 0; side < 2; ++side) {
        ts::async(ts::clocked(c), [c, &born, level] { grow(c, born, level + 1); });
      }
    }
  };
  std::array<std::atomic<int>, 6> born{};
  run([&] {
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), [&born, c] { tree::grow(c, born, 0); });
    });
  });
  EXPECT_EQ(born.back().load(), 32);
}

TEST_P(clock_test, outlives_its_maker_in_the_tasks_that_joined) {
  std::atomic<int> passed{0};
  run([&] {
    ts::finish([&] {
      ts::async([&passed] {
        const ts::clock c = ts::clock::make();
        for (int i = 0; i < 5; ++i) {
          ts::async(ts::clocked(c), [&passed, c] {
            for (int k = 0; k < 5; ++k) c.advance();
            ++passed;
          });
        }
      });
    });
  });
  EXPECT_EQ(passed.load(), 5);
}

TEST_P(clock_test, named_twice_at_a_spawn_counts_once) {
  std::atomic<bool> dropped{false};
  run([&] {
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c, c), [&dropped, c] {
      c.advance();
      EXPECT_EQ(c.phase(), 1u);
      c.drop();
      EXPECT_FALSE(c.registered());
      dropped = true;
    });
    c.advance();
    c.advance();
  });
  EXPECT_TRUE(dropped);
}

TEST_P(clock_test, named_by_two_attributes_of_a_spawn_counts_once) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    ts::async(ts::clocked(c), ts::clocked(d, c), [c, d] {
      EXPECT_TRUE(d.registered());
      c.drop();
      EXPECT_FALSE(c.registered());
    });
    ts::advance_all();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_test, goes_with_every_other_attribute_in_any_order) {
  using enum ts::spawn_policy;
  std::atomic<int> passed{0};
  run([&] {
    const ts::clock c = ts::clock::make();
    const auto body = [&passed, c] {
      c.advance();
      ++passed;
    };
    ts::async(ts::clocked(c), ts::named("a"), work_first, body);
    ts::async(work_first, ts::clocked(c), ts::named("b"), body);
    ts::async(ts::named("c"), help_first, ts::clocked(c), body);
    ts::async(help_first, ts::clocked(c), body);
    ts::async(ts::clocked(c), body);
    EXPECT_EQ(passed.load(), 0);
    c.advance();
  });
  EXPECT_EQ(passed.load(), 5);
}

TEST_P(clock_test, can_be_handed_to_the_task_of_a_future) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::future<std::uint64_t> f = ts::async_future(ts::clocked(c), [c] {
      c.advance();
      return c.phase();
    });
    const ts::future<void> g = ts::async_future(ts::clocked(c), ts::named("g"), [c] { c.advance(); });
    EXPECT_FALSE(f.ready());
    c.advance();
    EXPECT_EQ(f.get(), 1u);
    g.get();
  });
}

TEST_P(clock_test, is_not_inherited_by_a_child_that_does_not_name_it) {
  run([] {
    const ts::clock c = ts::clock::make();
    ts::finish([&] { ts::async([c] { EXPECT_FALSE(c.registered()); }); });
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_test, elements_of_for_each_are_not_registered) {
  run([] {
    const ts::clock c = ts::clock::make();
    std::atomic<int> registered{0};
    ts::for_each(0, 20, 3, [&](int) {
      if (c.registered()) ++registered;
    });
    EXPECT_EQ(registered.load(), 0);
    EXPECT_TRUE(c.registered());
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_test, an_element_of_for_each_may_make_its_own_which_ends_with_it) {
  std::atomic<int> passed{0};
  run([&] {
    ts::for_each(0, 20, 5, [&passed](int) {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), [&passed, c] {
        c.advance();
        ++passed;
      });
    });
  });
  EXPECT_EQ(passed.load(), 20);
}

// ---- leaving ----

TEST_P(clock_test, drop_leaves_the_clock) {
  run([] {
    const ts::clock c = ts::clock::make();
    c.drop();
    EXPECT_FALSE(c.registered());
    EXPECT_TRUE(c.dropped());
  });
}

TEST_P(clock_test, drop_releases_those_who_waited_for_this_task) {
  int after = 0;
  run([&] {
    const ts::promise<void> passed;
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [c, passed] {
      c.advance();
      passed.set_value();
    });
    c.drop();
    passed.get_future().get();
    after = 1;
  });
  EXPECT_EQ(after, 1);
}

TEST_P(clock_test, drop_after_a_resume_leaves_the_arrival_counted_once) {
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

TEST_P(clock_test, drop_by_the_only_one_who_has_not_resumed_moves_the_clock) {
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

TEST_P(clock_test, drop_after_the_clock_has_moved_on_takes_effect_in_its_phase) {
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

TEST_P(clock_test, end_of_a_task_drops_its_clocks) {
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

TEST_P(clock_test, a_task_that_throws_is_dropped_and_the_others_go_on) {
  std::atomic<int> passed{0};
  run([&] {
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        for (int i = 0; i < 9; ++i) {
          ts::async(ts::clocked(c), [&passed, c, i] {
            for (int k = 0; k < 5; ++k) {
              if (i == k * 2) throw std::runtime_error("left in phase " + std::to_string(c.phase()));
              c.advance();
            }
            ++passed;
          });
        }
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()),
              (std::vector<std::string>{"left in phase 0", "left in phase 1", "left in phase 2", "left in phase 3",
                                        "left in phase 4"}));
  });
  EXPECT_EQ(passed.load(), 4);
}

TEST_P(clock_test, a_future_whose_task_throws_keeps_the_exception_and_drops_the_task) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::future<int> f = ts::async_future(ts::clocked(c), [c]() -> int {
      c.advance();
      throw std::out_of_range("future");
    });
    c.advance();
    c.advance();
    EXPECT_TRUE(caught<std::out_of_range>([&] { static_cast<void>(f.get()); }));
  });
}

TEST_P(clock_test, captures_of_a_task_are_destroyed_before_it_is_dropped) {
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

TEST_P(clock_test, may_be_dropped_inside_an_inner_finish) {
  int after = 0;
  run([&] {
    const ts::promise<void> passed;
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [c, passed] {
      c.advance();
      passed.set_value();
    });
    ts::finish([&] {
      c.drop();
      ts::async([&after, opened = passed.get_future()] {
        opened.get();
        after = 1;
      });
    });
    EXPECT_EQ(after, 1);
    EXPECT_FALSE(c.registered());
  });
}

TEST_P(clock_test, may_be_advanced_inside_an_inner_finish) {
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

TEST_P(clock_test, a_task_that_left_one_clock_may_make_and_use_another) {
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

TEST_P(clock_test, maker_is_dropped_when_the_body_of_its_finish_ends) {
  std::atomic<int> passed{0};
  run([&] {
    std::vector<ts::clock> kept;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      kept.push_back(c);
      for (int i = 0; i < 10; ++i) {
        ts::async(ts::clocked(c), [&passed, c] {
          c.advance();
          ++passed;
        });
      }
    });
    EXPECT_EQ(passed.load(), 10);
    EXPECT_FALSE(kept.front().registered());
    EXPECT_TRUE(kept.front().dropped());
  });
}

TEST_P(clock_test, maker_is_dropped_when_the_body_of_its_finish_throws) {
  std::atomic<int> passed{0};
  run([&] {
    EXPECT_TRUE(caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        ts::async(ts::clocked(c), [&passed, c] {
          c.advance();
          ++passed;
        });
        throw std::runtime_error("body");
      });
    }));
  });
  EXPECT_EQ(passed.load(), 1);
}

TEST_P(clock_test, maker_is_dropped_when_the_body_of_the_run_ends) {
  std::atomic<int> passed{0};
  run([&] {
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [&passed, c] {
      c.advance();
      ++passed;
    });
  });
  EXPECT_EQ(passed.load(), 1);
}

TEST_P(clock_test, maker_in_an_inner_finish_is_dropped_there_and_not_later) {
  std::atomic<int> passed{0};
  run([&] {
    const ts::clock outer = ts::clock::make();
    ts::finish([&] {
      const ts::clock inner = ts::clock::make();
      ts::async(ts::clocked(inner), [&passed, inner] {
        inner.advance();
        ++passed;
      });
    });
    EXPECT_EQ(passed.load(), 1);
    EXPECT_TRUE(outer.registered());
    outer.advance();
    EXPECT_EQ(outer.phase(), 1u);
  });
}

TEST_P(clock_test, maker_in_a_called_function_is_dropped_with_the_innermost_finish_around_the_call) {
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

TEST_P(clock_test, of_a_clocked_finish_is_handed_to_its_body) {
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

TEST_P(clock_test, of_a_clocked_finish_inside_another_is_a_clock_of_its_own) {
  std::atomic<int> passed{0};
  run([&] {
    ts::finish(ts::clocked, [&](ts::clock outer) {
      ts::async(ts::clocked(outer), [outer] { outer.advance(); });
      ts::finish(ts::clocked, [&passed, outer](ts::clock inner) {
        EXPECT_FALSE(inner == outer);
        ts::async(ts::clocked(inner), [&passed, inner] {
          inner.advance();
          ++passed;
        });
      });
      EXPECT_EQ(passed.load(), 1);
      EXPECT_TRUE(outer.registered());
      outer.advance();
    });
  });
}

TEST_P(clock_test, of_a_clocked_finish_is_dropped_when_its_body_throws) {
  run([] {
    std::atomic<int> passed{0};
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::finish(ts::clocked, [&passed](ts::clock c) {
        ts::async(ts::clocked(c), [&passed, c] {
          c.advance();
          ++passed;
        });
        throw std::runtime_error("body");
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()), std::vector<std::string>{"body"});
    EXPECT_EQ(passed.load(), 1);
  });
}

// ---- several clocks ----

TEST_P(clock_test, runs_on_while_another_stands) {
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

TEST_P(clock_test, advance_all_resumes_all_before_it_waits_for_any) {
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

TEST_P(clock_test, advance_all_waits_for_all) {
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

TEST_P(clock_test, advance_all_by_everyone_keeps_many_clocks_in_step) {
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

TEST_P(clock_test, resume_all_resumes_every_clock_of_the_task) {
  run([] {
    const ts::promise<void> c_passed;
    const ts::promise<void> d_passed;
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    ts::async(ts::clocked(c), [c, c_passed] {
      c.advance();
      c_passed.set_value();
    });
    ts::async(ts::clocked(d), [d, d_passed] {
      d.advance();
      d_passed.set_value();
    });
    ts::resume_all();
    c_passed.get_future().get();
    d_passed.get_future().get();
    EXPECT_EQ(c.phase(), 0u);
    ts::advance_all();
    EXPECT_EQ(c.phase(), 1u);
    EXPECT_EQ(d.phase(), 1u);
  });
}

TEST_P(clock_test, advance_all_after_a_resume_of_one_arrives_there_once) {
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

TEST_P(clock_test, advance_all_and_resume_all_without_any_clock_do_nothing) {
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

TEST_P(clock_test, a_task_that_shares_one_clock_of_two_may_run_a_phase_ahead) {
  // The middle task ties the left one to the right one only as far as it has resumed.
  run([] {
    const ts::promise<void> left_passed;
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    ts::async(ts::clocked(c), [c, left_passed] {
      c.advance();
      left_passed.set_value();
    });
    ts::async(ts::clocked(d), [d, opened = left_passed.get_future()] {
      opened.get();  // still in phase 0 of d when the left task is in phase 1 of c
      d.advance();
    });
    ts::advance_all();
  });
}

// ---- around it ----

TEST_P(clock_test, advance_inside_catch_keeps_the_exception) {
  run([] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < 20; ++i) {
      ts::async(ts::clocked(c), [c, i] {
        const std::string mine = "exception " + std::to_string(i);
        try {
          throw std::runtime_error(mine);
        } catch (const std::runtime_error& e) {
          c.advance();
          EXPECT_EQ(e.what(), mine);
          EXPECT_EQ(support::message(std::current_exception()), mine);
        }
        EXPECT_EQ(std::current_exception(), nullptr);
      });
    }
  });
}

TEST_P(clock_test, advance_inside_a_destructor_during_unwinding) {
  struct advances_at_death {
    explicit advances_at_death(const ts::clock& on) : c(on) {}
    advances_at_death(const advances_at_death&) = delete;
    advances_at_death& operator=(const advances_at_death&) = delete;
    ~advances_at_death() {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      c.advance();
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
    ts::clock c;
  };
  run([] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < 20; ++i) {
      ts::async(ts::clocked(c), [c, i] {
        const std::string mine = "unwinding " + std::to_string(i);
        try {
          const advances_at_death guard(c);
          throw std::runtime_error(mine);
        } catch (const std::runtime_error& e) {
          EXPECT_EQ(e.what(), mine);
        }
      });
    }
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
