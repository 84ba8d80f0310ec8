// SPDX-License-Identifier: Apache-2.0
// lockstep: n logical tasks that go through a list of steps together, without stacks.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"
#include "support/stack_use.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;
using support::contains;

class lockstep_test : public support::each_setting {};
TACTUS_EACH_SETTING(lockstep_test);

/// A go_on that allows a number of rounds.
auto rounds(int n) {
  return [left = n]() mutable { return left-- > 0; };
}

// ---- order ----

TEST_P(lockstep_test, runs_every_step_of_every_element_once_per_round) {
  const int n = static_cast<int>(support::scaled(500, 40));
  std::vector<int> first(static_cast<std::size_t>(n), 0);
  std::vector<int> second(static_cast<std::size_t>(n), 0);
  run([&] {
    ts::lockstep(
        0, n, rounds(7), [&](int i) { ++first[static_cast<std::size_t>(i)]; },
        [&](int i) { ++second[static_cast<std::size_t>(i)]; });
  });
  EXPECT_EQ(first, std::vector<int>(first.size(), 7));
  EXPECT_EQ(second, std::vector<int>(second.size(), 7));
}

TEST_P(lockstep_test, starts_a_step_when_the_step_before_has_ended_everywhere) {
  // Plain cells: what a step wrote is visible to all elements of the next one.
  const std::size_t n = support::scaled(400, 30);
  std::vector<std::size_t> a(n, 0);
  std::vector<std::size_t> b(n, 0);
  run([&] {
    ts::lockstep(
        std::size_t{0}, n, rounds(10), [&](std::size_t i) { a[i] = b[(i + n - 1) % n] + 1; },
        [&](std::size_t i) { b[i] = a[(i + 1) % n] + 1; });
  });
  EXPECT_EQ(a, std::vector<std::size_t>(n, 19));
  EXPECT_EQ(b, std::vector<std::size_t>(n, 20));
}

TEST_P(lockstep_test, starts_a_round_when_the_round_before_has_ended_everywhere) {
  static constexpr std::size_t k_rounds = 20;
  const std::size_t n = support::scaled(200, 20);
  std::array<std::atomic<std::size_t>, k_rounds> ended{};
  std::atomic<int> early{0};
  std::size_t round = 0;
  bool first = true;
  run([&] {
    ts::lockstep(
        std::size_t{0}, n,
        [&] {
          if (!std::exchange(first, false)) ++round;
          return round < k_rounds;
        },
        [&](std::size_t) {
          if (round > 0 && ended[round - 1] != n) ++early;
          ++ended[round];
        });
  });
  EXPECT_EQ(early.load(), 0);
  for (const auto& e : ended) EXPECT_EQ(e.load(), n);
}

TEST_P(lockstep_test, takes_many_steps_in_their_order) {
  static constexpr int k_elements = 30;
  std::array<std::vector<int>, k_elements> seen;
  run([&] {
    const auto note = [&](int step) {
      return [&seen, step](int i) { seen[static_cast<std::size_t>(i)].push_back(step); };
    };
    ts::lockstep(0, k_elements, rounds(2), note(1), note(2), note(3), note(4), note(5), note(6));
  });
  for (const auto& steps : seen) EXPECT_EQ(steps, (std::vector<int>{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
}

// ---- go_on ----

TEST_P(lockstep_test, asks_go_on_once_before_each_round) {
  int asked = 0;
  std::atomic<int> steps{0};
  run([&] { ts::lockstep(0, 10, [&] { return ++asked <= 5; }, [&](int) { ++steps; }, [&](int) { ++steps; }); });
  EXPECT_EQ(asked, 6);
  EXPECT_EQ(steps.load(), 5 * 2 * 10);
}

TEST_P(lockstep_test, runs_nothing_if_go_on_says_no_at_first) {
  int asked = 0;
  run([&] {
    ts::lockstep(
        0, 10,
        [&] {
          ++asked;
          return false;
        },
        [](int) { FAIL() << "a step has run"; });
  });
  EXPECT_EQ(asked, 1);
}

TEST_P(lockstep_test, go_on_sees_all_that_earlier_rounds_did) {
  const std::size_t n = support::scaled(300, 30);
  std::vector<std::size_t> cells(n, 0);
  std::size_t asked = 0;
  run([&] {
    ts::lockstep(
        std::size_t{0}, n,
        [&] {
          for (const std::size_t c : cells) EXPECT_EQ(c, asked);
          return asked++ < 8;
        },
        [&](std::size_t i) { ++cells[i]; });
  });
  EXPECT_EQ(asked, 9u);
}

TEST_P(lockstep_test, steps_see_what_go_on_wrote) {
  int round = 0;
  std::atomic<int> wrong{0};
  run([&] {
    int expected = 0;
    ts::lockstep(
        0, 50,
        [&] {
          expected = ++round;
          return round <= 6;
        },
        [&](int) {
          if (expected != round) ++wrong;
        });
  });
  EXPECT_EQ(round, 7);
  EXPECT_EQ(wrong.load(), 0);
}

// ---- ranges ----

TEST_P(lockstep_test, of_an_empty_range_runs_no_step) {
  run([] {
    ts::lockstep(5, 5, rounds(3), [](int) { FAIL() << "a step has run"; });
    ts::lockstep(5, 2, rounds(3), [](int) { FAIL() << "a step has run"; });
    ts::lockstep(std::size_t{5}, std::size_t{2}, rounds(3), [](std::size_t) { FAIL() << "a step has run"; });
  });
}

TEST_P(lockstep_test, takes_negative_bounds) {
  std::array<std::atomic<int>, 10> ran{};
  run([&] { ts::lockstep(-5, 5, rounds(3), [&](int i) { ++ran[static_cast<std::size_t>(i + 5)]; }); });
  for (const auto& r : ran) EXPECT_EQ(r.load(), 3);
}

TEST_P(lockstep_test, takes_the_ends_of_a_type) {
  std::atomic<int> low{0};
  std::atomic<int> high{0};
  run([&] {
    static constexpr auto k_least = std::numeric_limits<std::int64_t>::min();
    static constexpr auto k_most = std::numeric_limits<std::uint64_t>::max();
    ts::lockstep(k_least, k_least + 3, rounds(2), [&](std::int64_t i) { low += static_cast<int>(i - k_least); });
    ts::lockstep(k_most - 3, k_most, rounds(2), [&](std::uint64_t i) { high += static_cast<int>(k_most - i); });
  });
  EXPECT_EQ(low.load(), 2 * (0 + 1 + 2));
  EXPECT_EQ(high.load(), 2 * (1 + 2 + 3));
}

TEST_P(lockstep_test, of_one_element_is_a_plain_loop) {
  std::vector<int> seen;
  run([&] { ts::lockstep(3, 4, rounds(3), [&](int i) { seen.push_back(i); }, [&](int i) { seen.push_back(-i); }); });
  EXPECT_EQ(seen, (std::vector<int>{3, -3, 3, -3, 3, -3}));
}

TEST_P(lockstep_test, of_fewer_elements_than_workers_ends) {
  std::atomic<int> ran{0};
  run([&] { ts::lockstep(0, 2, rounds(50), [&](int) { ++ran; }); });
  EXPECT_EQ(ran.load(), 100);
}

// ---- exceptions ----

TEST_P(lockstep_test, an_element_that_throws_takes_no_further_part_and_the_others_go_on) {
  static constexpr int k_elements = 20;
  std::array<std::atomic<int>, k_elements> first{};
  std::array<std::atomic<int>, k_elements> second{};
  run([&] {
    int round = -1;
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::lockstep(
          0, k_elements, [&] { return ++round < 6; },
          [&](int i) {
            if (i == 3 && round == 2) throw std::runtime_error("element 3");
            ++first[static_cast<std::size_t>(i)];
          },
          [&](int i) {
            if (i == 17 && round == 4) throw std::runtime_error("element 17");
            ++second[static_cast<std::size_t>(i)];
          });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()), (std::vector<std::string>{"element 17", "element 3"}));
  });
  for (int i = 0; i < k_elements; ++i) {
    EXPECT_EQ(first[static_cast<std::size_t>(i)].load(), i == 3 ? 2 : i == 17 ? 5 : 6) << "element " << i;
    EXPECT_EQ(second[static_cast<std::size_t>(i)].load(), i == 3 ? 2 : i == 17 ? 4 : 6) << "element " << i;
  }
}

TEST_P(lockstep_test, every_element_that_throws_is_reported) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::lockstep(0, 30, rounds(3), [](int i) {
        if (i % 2 == 0) throw std::runtime_error("even");
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(e->exceptions().size(), 15u);
  });
}

TEST_P(lockstep_test, tells_in_which_step_and_for_which_i_an_exception_was_thrown) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::lockstep(
          -2, 3, rounds(1),
          [](int i) {
            if (i == -1) ts::yield();
          },
          [](int i) {
            if (i == 2) ts::yield();
          });
    });
    ASSERT_TRUE(e);
    EXPECT_TRUE(contains(e->what(), "use clocked tasks where a step has to\" (step 1 of lockstep, i = -1)"))
        << e->what();
    EXPECT_TRUE(contains(e->what(), "use clocked tasks where a step has to\" (step 2 of lockstep, i = 2)"))
        << e->what();
  });
}

TEST_P(lockstep_test, tells_the_largest_i_of_its_type) {
  run([] {
    constexpr std::uint64_t k_last = std::numeric_limits<std::uint64_t>::max();
    const auto e = caught<ts::multiple_exceptions>(
        [] { ts::lockstep(k_last - 1, k_last, rounds(1), [](std::uint64_t) { throw std::runtime_error("last"); }); });
    ASSERT_TRUE(e);
    EXPECT_TRUE(contains(e->what(), "\"last\" (step 1 of lockstep, i = 18446744073709551614)")) << e->what();
  });
}

TEST_P(lockstep_test, of_which_every_element_threw_ends) {
  std::atomic<int> ran{0};
  run([&] {
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::lockstep(0, 10, rounds(3), [&](int) {
        ++ran;
        throw std::runtime_error("all");
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(e->exceptions().size(), 10u);
  });
  EXPECT_EQ(ran.load(), 10);
}

TEST_P(lockstep_test, without_elements_left_ends_whatever_its_caller_waits_for) {
  std::atomic<int> ran{0};
  run([&] {
    int asked = 0;
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::lockstep(
          0, 10,
          [&] {
            EXPECT_LT(asked++, 100);
            return ran < 30 && asked < 1000;  // 30: as those that go on would make it
          },
          [&](int i) {
            if (++ran, i % 2 == asked % 2) throw std::runtime_error("each in its turn");
          });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(e->exceptions().size(), 10u);
    EXPECT_LE(asked, 3);
  });
}

// Its caller has used most of what a task may.
TEST_P(lockstep_test, has_as_much_stack_for_a_step_as_a_task_has) {
  ts::config settings = support::config_of(GetParam().workers, GetParam().policy);
  settings.stack_bytes = 128 * 1024;
  std::atomic<int> ran{0};
  ts::run(settings, [&] {
    ts::finish([&] {
      ts::async([&] {
        support::with_stack_used(96 * 1024, [&] {
          ts::lockstep(0, 8, rounds(2), [&](int) { support::with_stack_used(96 * 1024, [&] { ++ran; }); });
        });
      });
    });
  });
  EXPECT_EQ(ran.load(), 16);
}

TEST_P(lockstep_test, does_not_show_its_elements_the_exception_that_its_caller_handles) {
  run([] {
    try {
      throw std::runtime_error("caller");
    } catch (const std::runtime_error& e) {
      ts::lockstep(0, 20, rounds(2), [](int) {
        EXPECT_EQ(std::current_exception(), nullptr);
        EXPECT_TRUE(caught<std::logic_error>([] { throw std::logic_error("the element's own"); }));
      });
      EXPECT_STREQ(e.what(), "caller");
      EXPECT_EQ(support::message(std::current_exception()), "caller");
    }
  });
}

// ---- what a step may do ----

TEST_P(lockstep_test, a_step_that_yields_is_refused) {
  std::atomic<int> refused{0};
  run([&] {
    ts::lockstep(0, 10, rounds(2), [&](int) {
      const auto e = caught<ts::usage_error>([] { ts::yield(); });
      if (e && contains(e->what(), "yield")) ++refused;
    });
  });
  EXPECT_EQ(refused.load(), 20);
}

TEST_P(lockstep_test, a_step_that_would_wait_for_a_future_is_refused) {
  std::atomic<int> refused{0};
  run([&] {
    const ts::promise<int> unset;
    ts::lockstep(0, 10, rounds(2), [&refused, f = unset.get_future()](int) {
      if (caught<ts::usage_error>([&] { static_cast<void>(f.get()); })) ++refused;
    });
    unset.set_value(1);
  });
  EXPECT_EQ(refused.load(), 20);
}

TEST_P(lockstep_test, a_step_that_would_wait_for_a_condition_is_refused_and_leaves_the_lock_free) {
  std::atomic<int> refused{0};
  int blocks = 0;
  run([&] {
    ts::lockstep(0, 10, rounds(2), [&](int) {
      if (caught<ts::usage_error>([] { ts::when([] { return false; }, [] {}); })) ++refused;
    });
    ts::atomic([&] { ++blocks; });
  });
  EXPECT_EQ(refused.load(), 20);
  EXPECT_EQ(blocks, 1);
}

TEST_P(lockstep_test, a_refused_step_that_does_not_catch_leaves_like_any_that_throws) {
  run([] {
    int round = -1;
    std::atomic<int> ran{0};
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::lockstep(
          0, 10, [&] { return ++round < 3; },
          [&](int i) {
            if (i == 4) ts::yield();
            ++ran;
          });
    });
    ASSERT_TRUE(e);
    ASSERT_EQ(e->exceptions().size(), 1u);
    EXPECT_THROW(std::rethrow_exception(e->exceptions().front()), ts::usage_error);
    EXPECT_EQ(ran.load(), 27);
  });
}

TEST_P(lockstep_test, tasks_that_steps_spawn_are_joined_at_its_end) {
  std::atomic<int> ran{0};
  run([&] {
    ts::lockstep(0, 10, rounds(3), [&](int) {
      ts::async([&] {
        ts::yield();
        ts::async([&] { ++ran; });
      });
    });
    EXPECT_EQ(ran.load(), 30);
  });
}

TEST_P(lockstep_test, tasks_that_steps_spawn_are_not_waited_for_by_a_step) {
  // Each waits for a promise that go_on sets before the last round.
  std::atomic<int> ended{0};
  run([&] {
    const ts::promise<void> gate;
    int round = -1;
    ts::lockstep(
        0, 5,
        [&] {
          if (++round == 2) {
            EXPECT_EQ(ended.load(), 0);
            gate.set_value();
          }
          return round < 3;
        },
        [&ended, &round, opened = gate.get_future()](int) {
          if (round > 0) return;
          ts::async([&ended, opened] {
            opened.get();
            ++ended;
          });
        });
    EXPECT_EQ(ended.load(), 5);
  });
}

TEST_P(lockstep_test, tasks_that_steps_spawn_report_their_exceptions_at_its_end) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::lockstep(0, 4, rounds(1),
                   [](int i) { ts::async([i] { throw std::runtime_error("task of " + std::to_string(i)); }); });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()),
              (std::vector<std::string>{"task of 0", "task of 1", "task of 2", "task of 3"}));
  });
}

TEST_P(lockstep_test, leaves_the_clocks_of_its_caller_alone) {
  run([] {
    const ts::clock c = ts::clock::make();
    std::atomic<int> registered{0};
    ts::lockstep(0, 20, rounds(3), [&](int) {
      if (c.registered()) ++registered;
      ts::resume_all();
    });
    EXPECT_EQ(registered.load(), 0);
    EXPECT_EQ(c.phase(), 0u);
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(lockstep_test, runs_no_more_steps_at_one_time_than_there_are_workers) {
  std::atomic<int> running{0};
  std::atomic<int> too_many{0};
  const int workers = GetParam().workers;
  run([&] {
    ts::lockstep(0, 40, rounds(10), [&](int) {
      if (++running > workers) ++too_many;
      std::this_thread::yield();
      --running;
    });
  });
  EXPECT_EQ(too_many.load(), 0);
}

// ---- where it may stand ----

TEST_P(lockstep_test, several_run_at_one_time) {
  static constexpr std::size_t k_several = 8;
  const std::size_t n = support::scaled(100, 20);
  std::array<std::vector<int>, k_several> cells;
  for (auto& c : cells) c.assign(n, 0);
  run([&] {
    for (auto& mine : cells) {
      ts::async([&mine] {
        ts::lockstep(
            std::size_t{0}, n, rounds(10), [&](std::size_t i) { ++mine[i]; },
            [&](std::size_t i) { mine[i] += mine[i] % 2; });
      });
    }
  });
  for (const auto& c : cells) EXPECT_EQ(c, std::vector<int>(n, 20));
}

TEST_P(lockstep_test, runs_in_clocked_tasks_between_their_phases) {
  std::array<std::atomic<int>, 4> sums{};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      ts::async(ts::clocked(c), [&sums, c, i] {
        ts::lockstep(0, 10, rounds(5), [&](int) { ++sums[i]; });
        c.advance();
        for (const auto& s : sums) EXPECT_EQ(s.load(), 50);
      });
    }
  });
}

TEST_P(lockstep_test, runs_in_elements_of_for_each) {
  std::array<std::atomic<int>, 6> sums{};
  run([&] {
    ts::for_each(std::size_t{0}, sums.size(), std::size_t{1},
                 [&](std::size_t k) { ts::lockstep(0, 10, rounds(3), [&](int) { ++sums[k]; }); });
  });
  for (const auto& s : sums) EXPECT_EQ(s.load(), 30);
}

TEST_P(lockstep_test, goes_on_beside_tasks_that_keep_the_other_workers) {
  // Any number of free workers completes it: here all but one are taken.
  std::atomic<int> ran{0};
  run([&] {
    std::atomic<bool> done{false};
    std::atomic<int> taken{0};
    const int others = GetParam().workers - 1;
    ts::finish([&] {
      for (int i = 0; i < others; ++i) {
        ts::async(ts::spawn_policy::help_first, [&] {
          ++taken;
          while (!done) std::this_thread::yield();
        });
      }
      while (taken != others) std::this_thread::yield();
      ts::lockstep(0, 50, rounds(10), [&](int) { ++ran; });
      done = true;
    });
  });
  EXPECT_EQ(ran.load(), 500);
}

TEST_P(lockstep_test, computes_what_clocked_tasks_compute) {
  // A shortest-path relaxation along a ring, once with tasks and once without.
  static constexpr std::size_t k_nodes = 40;
  const auto start = [] {
    std::vector<int> d(k_nodes, 1'000);
    d[7] = 0;
    return d;
  };
  const auto nearest = [](const std::vector<int>& d, std::size_t i) {
    return std::min({d[i], d[(i + 1) % k_nodes] + 1, d[(i + k_nodes - 1) % k_nodes] + 1});
  };
  std::vector<int> clocked = start();
  std::vector<int> stepped = start();
  run([&] {
    std::vector<int> next(k_nodes);
    ts::finish(ts::clocked, [&](ts::clock c) {
      for (std::size_t i = 0; i < k_nodes; ++i) {
        ts::async(ts::clocked(c), [&, c, i] {
          for (std::size_t k = 0; k < k_nodes / 2; ++k) {
            next[i] = nearest(clocked, i);
            c.advance();
            clocked[i] = next[i];
            c.advance();
          }
        });
      }
    });
    ts::lockstep(
        std::size_t{0}, k_nodes, rounds(k_nodes / 2), [&](std::size_t i) { next[i] = nearest(stepped, i); },
        [&](std::size_t i) { stepped[i] = next[i]; });
  });
  EXPECT_EQ(stepped, clocked);
  EXPECT_EQ(stepped[27], 20);
}

TEST(lockstep_seeded_test, keeps_the_order_of_steps_under_any_of_200_seeds) {
  for (std::uint64_t seed = 1; seed <= support::scaled(200, 10); ++seed) {
    static constexpr std::size_t k_elements = 12;
    std::array<std::size_t, k_elements> a{};
    std::array<std::size_t, k_elements> b{};
    ts::run(support::seeded_config_of(seed, 1 + static_cast<int>(seed % 5)), [&] {
      ts::lockstep(
          std::size_t{0}, k_elements, rounds(5), [&](std::size_t i) { a[i] = b[(i + 5) % k_elements] + 1; },
          [&](std::size_t i) { b[i] = a[(i + 5) % k_elements] + 1; });
    });
    for (const std::size_t v : b) ASSERT_EQ(v, 10u) << "seed " << seed;
  }
}

TEST(lockstep_seeded_test, loses_no_wake_up_under_any_of_100_seeds) {
  // Many short ones: shares go to sleep while the leader says that the next round begins, or that all is over.
  for (std::uint64_t seed = 1; seed <= support::scaled(100, 10); ++seed) {
    std::size_t ran = 0;
    ts::run(support::seeded_config_of(seed, 2 + static_cast<int>(seed % 3)), [&] {
      for (int i = 0; i < 100; ++i) {
        auto go_on = [more = rounds(1 + i % 2)]() mutable {
          ts::yield();  // the shares begin meanwhile
          return more();
        };
        ts::lockstep(0, 3, go_on, [&ran](int) { ++ran; });
      }
    });
    ASSERT_EQ(ran, 450u) << "seed " << seed;
  }
}

}  // namespace
