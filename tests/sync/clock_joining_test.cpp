// SPDX-License-Identifier: Apache-2.0
// clock: how a child comes to be registered, and in which phase. Nobody joins but by a spawn that names the clock.
#include <tactus/tactus.hpp>

#include "clock_members.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ts = tactus;

namespace {

class clock_joining_test : public support::each_setting {};
TACTUS_EACH_SETTING(clock_joining_test);

TEST_P(clock_joining_test, gives_a_child_its_parents_phase) {
  run([] {
    const ts::clock c = ts::clock::make();
    for (std::uint64_t k = 0; k < 5; ++k) {
      ts::async(ts::clocked(c), [c, k] { EXPECT_EQ(c.phase(), k); });
      c.advance();
    }
  });
}

TEST_P(clock_joining_test, gives_a_child_its_parents_resume) {
  // The child does not arrive before the root has passed: if it were missing, nobody would ever pass.
  run([] {
    const ts::promise<void> root_passed;
    const ts::promise<void> last_may_arrive;
    const ts::clock c = ts::clock::make();
    members::spawn_late(c, last_may_arrive.get_future());
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

TEST_P(clock_joining_test, waits_in_the_next_phase_for_the_child_of_a_resumed_parent) {
  run([] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> arrived{false};
      ts::finish([&] {
        const ts::promise<void> spawned;
        const ts::clock c = ts::clock::make();
        members::spawn_late(c, spawned.get_future());
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

TEST_P(clock_joining_test, gives_a_child_its_parents_phase_also_when_it_has_moved_on) {
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

TEST_P(clock_joining_test, can_be_joined_by_a_child_in_every_phase) {
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

TEST_P(clock_joining_test, can_be_joined_by_children_of_children) {
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

TEST_P(clock_joining_test, outlives_its_maker_in_the_tasks_that_joined) {
  std::atomic<int> passed{0};
  run([&] {
    ts::finish([&] {
      ts::async([&passed] {
        const ts::clock c = ts::clock::make();
        for (int i = 0; i < 5; ++i) members::spawn_advancing(c, passed, 5);
      });
    });
  });
  EXPECT_EQ(passed.load(), 5);
}

TEST_P(clock_joining_test, named_twice_at_a_spawn_counts_once) {
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

TEST_P(clock_joining_test, named_by_two_attributes_of_a_spawn_counts_once) {
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

TEST_P(clock_joining_test, goes_with_every_other_attribute_in_any_order) {
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

TEST_P(clock_joining_test, can_be_handed_to_the_task_of_a_future) {
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

TEST_P(clock_joining_test, is_not_inherited_by_a_child_that_does_not_name_it) {
  run([] {
    const ts::clock c = ts::clock::make();
    ts::finish([&] { ts::async([c] { EXPECT_FALSE(c.registered()); }); });
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_joining_test, elements_of_for_each_are_not_registered) {
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

TEST_P(clock_joining_test, an_element_of_for_each_may_make_its_own_which_ends_with_it) {
  std::atomic<int> passed{0};
  run([&] {
    ts::for_each(0, 20, 5, [&passed](int) {
      const ts::clock c = ts::clock::make();
      members::spawn_advancing(c, passed);
    });
  });
  EXPECT_EQ(passed.load(), 20);
}

}  // namespace
