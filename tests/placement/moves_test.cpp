// SPDX-License-Identifier: Apache-2.0
// What is left where a place-flexible task has been, and of one that may not go.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "place/engine.hpp"
#include "place/place_node.hpp"

#ifndef TACTUS_PLAYS_SWAPPED
#error "what is sent from here has to be able to play"
#endif

namespace {
namespace ts = tactus;

constexpr int k_tasks = 32;
constexpr int k_most = 20;  // that have to run elsewhere

// Places of one process share memory.
std::atomic<int> g_ran;
std::atomic<bool> g_is_occupied;

ts::config settings(ts::placement_policy policy, int places) {
  g_ran = 0;
  g_is_occupied = false;
  return {.threads = 1, .places = places, .placement = policy, .env = false};
}

class moves_test : public testing::TestWithParam<ts::placement_policy> {};
INSTANTIATE_TEST_SUITE_P(policies, moves_test,
                         testing::Values(ts::placement_policy::lifeline, ts::placement_policy::hybrid,
                                         ts::placement_policy::random_stealing));

// At a place whose worker computes until most of the tasks for it have run elsewhere.
TEST_P(moves_test, room_that_a_task_has_taken_is_given_back_when_it_goes_on) {
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    ts::config options = settings(GetParam(), 3);
    options.message_bytes = 32'768;
    options.local_copy = copies;
    ts::runtime rt(options);
    rt.run([] {
      ts::finish([] {
        ts::async_at(ts::place(1), [] {
          g_is_occupied = true;
          while (g_ran < k_most) std::this_thread::yield();
        });
        while (!g_is_occupied) std::this_thread::yield();
        for (int i = 0; i < k_tasks; ++i) {
          ts::async_at(
              ts::place_flexible(ts::place(1)),
              [](const std::vector<char>& bytes) { g_ran += bytes.size() == 512 ? 1 : 0; }, std::vector<char>(512));
        }
      });
      EXPECT_EQ(g_ran, k_tasks);
      // It needs three quarters of the window. If they are not there, nothing will bring them: deadlock_error.
      ts::async_at(
          ts::place(1), [](const std::vector<char>& bytes) { g_ran += bytes.size() == 30'000 ? 1 : 0; },
          std::vector<char>(30'000));
    });
    EXPECT_EQ(g_ran, k_tasks + 1);
    EXPECT_GE(rt.stats().moves, static_cast<std::uint64_t>(k_most));
  }
}

// Place 1 waits at place 0, which has asked it on its behalf: no message and no moment is due any more, nor does a ring that is almost empty
// count.
TEST(lifelines, are_served_at_a_spawn_by_a_place_that_computes) {
  ts::config options = settings(ts::placement_policy::hybrid, 2);
  options.tuning.look_ahead = false;
  ts::runtime rt(options);
  rt.run([&rt] {
    while (rt.stats().places[0].relays == 0) std::this_thread::yield();
    ts::finish([] {
      for (int i = 0; i < 4; ++i) {
        ts::async_at(ts::place_flexible, [] { ++g_ran; });
      }
      while (g_ran == 0) std::this_thread::yield();  // it is not this worker that has run one
    });
  });
  EXPECT_EQ(g_ran, 4);
  EXPECT_GT(rt.stats().places[1].received, 0U);
}

// Of place 0, which has many tasks of 40,000 bytes before place 1 may ask.
TEST(loot, of_more_than_one_task_is_not_longer_than_64_KiB) {
  ts::config options = settings(ts::placement_policy::random_stealing, 2);
  options.local_copy = ts::copying::serialize;
  ts::runtime rt(options);
  std::uint64_t messages = 0;
  rt.run([&messages] {
    ts::finish([] {
      ts::async_at(ts::place(1), [] {
        g_is_occupied = true;
        while (g_is_occupied) std::this_thread::yield();
      });
      while (!g_is_occupied) std::this_thread::yield();
      for (int i = 0; i < k_tasks; ++i) {
        ts::async_at(
            ts::place_flexible, [](const std::vector<char>& bytes) { g_ran += bytes.size() == 40'000 ? 1 : 0; },
            std::vector<char>(40'000));
      }
      g_is_occupied = false;
      while (g_ran == 0) std::this_thread::yield();  // it is not this worker that has run one
    });
    messages = ts::detail::place_node::of(ts::detail::current_worker()).messages(ts::detail::message_kind::loot);
  });
  EXPECT_EQ(g_ran, k_tasks);
  EXPECT_GT(messages, 0U);
  EXPECT_EQ(messages, rt.stats().places[0].given);
}

class unlike_places {
public:
  unlike_places() { ts::detail::let_odd_places_play_swapped(true); }
  ~unlike_places() { ts::detail::let_odd_places_play_swapped(false); }
  unlike_places(const unlike_places&) = delete;
  unlike_places& operator=(const unlike_places&) = delete;
};

TEST_P(moves_test, what_a_place_of_another_kind_cannot_read_stays_and_runs) {
  const unlike_places odd_ones_are_swapped;
  ts::config options = settings(GetParam(), 2);
  options.local_copy = ts::copying::serialize;
  ts::runtime rt(options);
  rt.run([&rt] {
    ts::finish([&rt] {
      for (int i = 0; i < 50; ++i) {
        ts::async_at(ts::place_flexible, [] { g_ran += ts::here() == ts::place(0) ? 1 : 0; });
      }
      while (rt.stats().places[1].remote_steals_failed == 0) std::this_thread::yield();
    });
  });
  EXPECT_EQ(g_ran, 50);
  EXPECT_EQ(rt.stats().moves, 0U);
}

}  // namespace
