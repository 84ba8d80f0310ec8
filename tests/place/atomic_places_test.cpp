// SPDX-License-Identifier: Apache-2.0
// atomic and when are of the place where they run: a block there excludes the others there, and none elsewhere.
#include "place_settings.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace {
namespace ts = tactus;
using atomic_places_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, atomic_places_test, support::every_place_setting(), support::place_setting_name);

// Not atomic: what protects them is the block.
int g_calls[8];
int g_inside[8];

void call_here() {
  ts::atomic([] {
    const int p = ts::here().id();
    EXPECT_EQ(g_inside[p]++, 0);
    ++g_calls[p];
    EXPECT_EQ(g_inside[p]--, 1);
  });
}

TEST_P(atomic_places_test, blocks_of_one_place_exclude_each_other_whoever_sent_them) {
  for (int& n : g_calls) {
    n = 0;
  }
  run([] {
    ts::at_each(ts::places(), [] {
      for (int i = 0; i < 50; ++i) {
        for (const ts::place p : ts::places()) {
          ts::async_at(p, call_here);
        }
      }
      ts::at(ts::here().next(), call_here);
    });
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(ts::at(p, [] { return g_calls[ts::here().id()]; }), 50 * ts::num_places() + 1);
    }
  });
}

std::atomic<int> g_blocks;  // that have been entered

// Leaves when so many blocks, this one included, have been entered; or after long, and false then.
bool meets_in_a_block(int all) {
  bool met = false;
  ts::atomic([all, &met] {
    ++g_blocks;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (g_blocks < all && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    met = g_blocks == all;
  });
  return met;
}

// None of these can be left before all have been entered.
TEST(atomic_at_places, a_block_excludes_none_of_another_place) {
  for (const int n : {2, 3}) {
    g_blocks = 0;
    ts::run(ts::config{.threads = 1, .places = n, .env = false}, [n] {
      ts::at_each(ts::places(), [n] { EXPECT_TRUE(meets_in_a_block(n)) << "at place " << ts::here().id(); });
    });
  }
}

// Who leaves the block wakes a task of another place, so that the two share memory: by a message, which the verdict counts.
TEST_P(atomic_places_test, a_monitor_that_no_task_has_made_is_for_all_places_of_the_process) {
  static ts::monitor m;
  static int turn;
  turn = 0;
  run([] {
    constexpr int k_rounds = 50;
    ts::at_each(ts::places(), [] {
      const int n = ts::num_places(), here = ts::here().id();
      for (int i = 0; i < k_rounds; ++i) {
        m.when([n, here] { return turn % n == here; }, [] { ++turn; });
        m.atomic([] { turn += 0; });
      }
    });
    EXPECT_EQ(turn, k_rounds * ts::num_places());
  });
}

TEST(atomic_at_places, a_block_asks_the_conditions_of_its_place_only) {
  static std::atomic<bool> is_open;
  static std::atomic<int> asked;
  is_open = false;
  asked = 0;
  ts::run(ts::config{.threads = 1, .places = 2, .env = false}, [] {
    ts::finish([] {
      ts::async_at(ts::place(1), [] {
        ts::when(
            [] {
              ++asked;
              return is_open.load();
            },
            [] {});
      });
      while (asked == 0) {
        ts::yield();
      }
      ts::at(ts::place(1), [] {});  // it has come to wait
      const int before = asked;
      for (int i = 0; i < 10; ++i) {
        ts::atomic([] {});
      }
      ts::at(ts::place(1), [] {});
      EXPECT_EQ(asked, before) << "asked because of a block at another place";
      is_open = true;
      ts::at(ts::place(1), [] { ts::atomic([] {}); });
    });
  });
}

TEST_P(atomic_places_test, a_condition_is_asked_after_blocks_that_others_have_sent) {
  for (int& n : g_calls) {
    n = 0;
  }
  run([] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(p, [] {
          const int own = ts::here().id();
          ts::when([own] { return g_calls[own] == 3; }, [own] { g_calls[own] = 100; });
        });
        for (int i = 0; i < 3; ++i) {
          ts::async_at(p, call_here);
        }
      }
    });
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(ts::at(p, [] { return g_calls[ts::here().id()]; }), 100);
    }
  });
}

}  // namespace
