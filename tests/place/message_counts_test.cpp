// SPDX-License-Identifier: Apache-2.0
// What finishes and calls over places cost: as many messages as docs/protocols/remote_finish.md says, and not one more.
#include <tactus/tactus.hpp>

#include "messages_sent.hpp"
#include "place_settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace {
namespace ts = tactus;

using support::by_place;
using support::messages_of;
using support::sent;

using counts_setting = std::tuple<support::place_setting, ts::copying>;

class message_counts : public testing::TestWithParam<counts_setting> {
protected:
  template <class Body>
  static void run(Body&& body) {
    const auto& [setting, copies] = GetParam();
    ts::config c = support::config_of(setting);
    c.local_copy = copies;
    ts::run(c, std::forward<Body>(body));
  }
};

constexpr int k_rounds = 3;  // what the first one makes for later is there in the others

auto several_places() {
  using enum ts::spawn_policy;
  using s = support::place_setting;
  return testing::Values(s{2, 1, adaptive}, s{2, 2, help_first}, s{3, 1, work_first}, s{4, 2, adaptive},
                         s{8, 1, work_sharing}, s{3, 2, adaptive, 7}, s{4, 1, work_first, 11});
}

std::string name_of_setting(const testing::TestParamInfo<counts_setting>& chosen) {
  const auto& [setting, copies] = chosen.param;
  return support::name_of(setting) + (copies == ts::copying::serialize ? "_as_bytes" : "");
}

INSTANTIATE_TEST_SUITE_P(places, message_counts,
                         testing::Combine(several_places(),
                                          testing::Values(ts::copying::automatic, ts::copying::serialize)),
                         name_of_setting);

void spawn_here() {
  ts::finish([] {
    for (int i = 0; i < 20; ++i) {
      ts::async([] {
        ts::finish([] { ts::async(ts::yield); });
        ts::async([] {});
      });
    }
  });
}

TEST_P(message_counts, a_finish_that_stays_sends_nothing) {
  run([] {
    for (int i = 0; i < k_rounds; ++i) EXPECT_EQ(messages_of(spawn_here), sent{});
    ts::at(ts::here().next(), [] {
      for (int i = 0; i < k_rounds; ++i) EXPECT_EQ(messages_of(spawn_here), sent{});
    });
    // One of whose tasks waits in a finish that goes elsewhere, which is a matter of that one.
    const sent seen = messages_of(
        [] { ts::finish([] { ts::async([] { ts::finish([] { ts::async_at(ts::here().next(), [] {}); }); }); }); });
    EXPECT_EQ(seen, (sent{.tasks = 1, .reports = 1}));
  });
}

TEST_P(message_counts, a_task_at_one_place_takes_one_report) {
  run([] {
    for (int i = 0; i < k_rounds; ++i) {
      const sent seen = messages_of([] { ts::finish([] { ts::async_at(ts::here().next(), [] {}); }); });
      EXPECT_EQ(seen, (sent{.tasks = 1, .reports = 1}));
    }
  });
}

TEST_P(message_counts, what_that_task_spawns_there_takes_none) {
  run([] {
    const sent seen = messages_of([] {
      ts::finish([] {
        ts::async_at(ts::here().next(), [] {
          for (int i = 0; i < 10; ++i) ts::async(ts::yield);
        });
      });
    });
    EXPECT_EQ(seen, (sent{.tasks = 1, .reports = 1}));
  });
}

TEST_P(message_counts, a_body_of_at_that_leaves_nothing_takes_a_reply_only) {
  run([] {
    for (int i = 0; i < k_rounds; ++i) {
      for (const ts::place p : ts::places()) {
        if (p == ts::here()) continue;
        const sent seen =
            messages_of([p] { ts::finish([p] { EXPECT_EQ(ts::at(p, [] { return ts::here().id(); }), p.id()); }); });
        EXPECT_EQ(seen, (sent{.requests = 1, .replies = 1}));
      }
    }
  });
}

ts::task_local<int> g_local;

// They end by a task at their place when the task that has them does.
TEST_P(message_counts, values_of_a_task_elsewhere_take_a_task_and_its_report) {
  run([] {
    const sent seen = messages_of([] {
      ts::finish([] {
        ts::async([] {
          for (int i = 0; i < 3; ++i) EXPECT_EQ(ts::at(ts::here().next(), [] { return ++*g_local; }), i + 1);
        });
      });
    });
    EXPECT_EQ(seen, (sent{.tasks = 1, .requests = 3, .replies = 3, .reports = 1}));
  });
}

TEST_P(message_counts, a_finish_in_the_body_of_at_leaves_nothing) {
  run([] {
    const sent seen = messages_of([] { ts::at(ts::here().next(), spawn_here); });
    EXPECT_EQ(seen, (sent{.requests = 1, .replies = 1}));
  });
}

TEST_P(message_counts, at_home_takes_none) {
  run([] { EXPECT_EQ(messages_of([] { ts::finish([] { ts::at(ts::here(), spawn_here); }); }), sent{}); });
}

std::atomic<bool> g_goes_on;  // places of one process share memory

// Which the body of the at() has not seen the end of.
void leave_a_task() {
  ts::async([] {
    while (!g_goes_on) ts::yield();
  });
}

TEST_P(message_counts, a_body_of_at_that_leaves_tasks_takes_a_reply_and_a_report) {
  run([] {
    for (int i = 0; i < k_rounds; ++i) {
      g_goes_on = false;
      const sent seen = messages_of([] {
        ts::finish([] {
          ts::at(ts::here().next(), leave_a_task);
          g_goes_on = true;
        });
      });
      EXPECT_EQ(seen, (sent{.requests = 1, .replies = 1, .reports = 1}));
    }
  });
}

// Home has none.
TEST_P(message_counts, a_body_of_at_that_sends_a_task_on_takes_a_report_of_each_place) {
  run([] {
    const sent seen =
        messages_of([] { ts::finish([] { ts::at(ts::place(1), [] { ts::async_at(ts::here().next(), [] {}); }); }); });
    EXPECT_EQ(seen, (sent{.tasks = 1, .requests = 1, .replies = 1, .reports = ts::num_places() > 2 ? 2U : 1U}));
  });
}

TEST_P(message_counts, at_throws_before_it_sends_in_a_program_that_is_stuck) {
  EXPECT_THROW(run([] {
                 try {
                   ts::promise<int>().get_future().get();
                 } catch (const ts::deadlock_error&) {
                   const sent seen = messages_of([] {
                     EXPECT_THROW(ts::at(ts::here().next(), [] { ADD_FAILURE() << "it was sent"; }),
                                  ts::deadlock_error);
                   });
                   EXPECT_EQ(seen, sent{});
                   throw;
                 }
               }),
               ts::deadlock_error);
}

TEST_P(message_counts, tasks_at_all_places_take_a_report_of_each) {
  run([] {
    const auto others = static_cast<std::uint64_t>(ts::num_places() - 1);
    for (int i = 0; i < k_rounds; ++i) {
      const sent seen = messages_of([] {
        ts::finish([] {
          for (const ts::place p : ts::places()) {
            if (p != ts::here()) ts::async_at(p, [] {});
          }
        });
      });
      EXPECT_EQ(seen, (sent{.tasks = others, .reports = others}));
    }
  });
}

TEST_P(message_counts, at_each_takes_a_report_of_each_place_but_the_callers) {
  run([] {
    const auto others = static_cast<std::uint64_t>(ts::num_places() - 1);
    for (int i = 0; i < k_rounds; ++i) {
      const sent seen = messages_of([] { ts::at_each(ts::places(), [] {}); });
      EXPECT_EQ(seen, (sent{.tasks = others, .reports = others}));
    }
  });
}

void go_on() {
  if (ts::here().next() != ts::place(0)) ts::async_at(ts::here().next(), go_on);
}

TEST_P(message_counts, a_task_that_goes_round_takes_a_report_of_each_place) {
  run([] {
    const auto others = static_cast<std::uint64_t>(ts::num_places() - 1);
    for (int i = 0; i < k_rounds; ++i) {
      const sent seen = messages_of([] { ts::finish(go_on); });
      EXPECT_EQ(seen, (sent{.tasks = others, .reports = others}));
    }
  });
}

std::atomic<std::uint64_t> g_grown;           // tasks of the tree that were sent
std::atomic<std::uint64_t> g_places_of_tree;  // as bits

void grow(std::uint64_t seed, int depth) {
  g_places_of_tree |= std::uint64_t{1} << static_cast<unsigned>(ts::here().id());
  if (depth == 0) return;
  std::minstd_rand random(static_cast<unsigned>(seed) + 1);
  for (std::uint64_t children = 1 + random() % 3; children > 0; --children) {
    const std::uint64_t of_child = random();
    const int distance = static_cast<int>(random() % static_cast<std::uint64_t>(ts::num_places()));
    if (distance == 0) {
      ts::async([of_child, depth] { grow(of_child, depth - 1); });
    } else {
      ++g_grown;
      ts::async_at(ts::place((ts::here().id() + distance) % ts::num_places()), grow, of_child, depth - 1);
    }
  }
}

// A place reports when it falls idle: at least once if it had a task, and never more often than tasks have come.
TEST_P(message_counts, a_random_tree_takes_no_more_reports_than_tasks_that_were_sent) {
  run([] {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      g_grown = 0;
      g_places_of_tree = 0;
      const sent seen = messages_of([seed] { ts::finish([seed] { grow(seed, 4); }); });
      const auto elsewhere = static_cast<std::uint64_t>(std::popcount(g_places_of_tree.load() & ~std::uint64_t{1}));
      EXPECT_EQ(seen, (sent{.tasks = g_grown, .reports = seen.reports})) << "seed " << seed;
      EXPECT_LE(seen.reports, seen.tasks) << "seed " << seed;
      EXPECT_GE(seen.reports, elsewhere) << "seed " << seed;
    }
  });
}

std::atomic<bool> g_is_busy;
std::atomic<int> g_ran_at;

// Places 0 and 1 compute, so that it moves from there to place 2 before it begins.
TEST(messages_of_a_move, are_a_report_of_the_place_that_was_left) {
  using enum ts::placement_policy;
  for (const ts::placement_policy policy : {lifeline, hybrid}) {
    ts::config c{.threads = 1, .places = 3, .env = false};
    c.placement = policy;
    c.tuning.guard = false;  // or place 1, which computes, would keep its last task
    ts::run(c, [] {
      g_is_busy = false;
      g_goes_on = false;
      g_ran_at = -1;
      ts::finish([] {
        ts::async_at(ts::place(1), [] {
          g_is_busy = true;
          while (!g_goes_on) std::this_thread::yield();
        });
        while (!g_is_busy) std::this_thread::yield();
        const sent before[] = {by_place(0), by_place(1), by_place(2)};
        ts::finish([] {
          ts::async_at(ts::place_flexible(ts::place(1)), [] { g_ran_at = ts::here().id(); });
          while (g_ran_at == -1) std::this_thread::yield();
        });
        EXPECT_EQ(g_ran_at, 2);
        for (const int place : {0, 1, 2}) {
          const sent since = by_place(place) - before[place];
          EXPECT_EQ(since.reports, place == 0 ? 0U : 1U) << "place " << place;
          EXPECT_EQ(since.tasks, place == 0 ? 1U : 0U) << "place " << place;
        }
        g_goes_on = true;
      });
    });
  }
}

}  // namespace
