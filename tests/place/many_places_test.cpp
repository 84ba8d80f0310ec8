// SPDX-License-Identifier: Apache-2.0
// As many places as a process may have: what they send each other, and that they need no threads where a seed orders them.
#include <tactus/tactus.hpp>

#include "messages_sent.hpp"
#include "scheduler/run_control.hpp"
#include "support/few_threads.hpp"
#include "support/no_default_memory.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace {
namespace ts = tactus;
namespace td = tactus::detail;
using support::messages_of;
using support::sent;

// Sanitizers keep something for each thread.
constexpr int k_most = static_cast<int>(support::scaled(1024, 128));

std::vector<std::atomic<int>> g_calls(k_most);  // places of one process share memory

void clear() {
  for (auto& n : g_calls) n = 0;
}

void call_here() { ++g_calls[static_cast<std::size_t>(ts::here().id())]; }

void expect_calls_everywhere(int calls) {
  for (int place = 0; place < ts::num_places(); ++place) {
    ASSERT_EQ(g_calls[static_cast<std::size_t>(place)], calls) << "place " << place;
  }
}

sent one_for_each_other_place() {
  const auto others = static_cast<std::uint64_t>(ts::num_places() - 1);
  return {.tasks = others, .reports = others};
}

void call_everywhere() {
  clear();
  for (int round = 1; round <= 2; ++round) {
    EXPECT_EQ(messages_of([] { ts::at_each(ts::places(), call_here); }), one_for_each_other_place());
    expect_calls_everywhere(round);
  }
}

ts::config of_places(int places) { return {.threads = 1, .places = places, .env = false}; }

TEST(many_places, at_each_takes_two_messages_for_each_place_but_the_callers) {
  for (const int places : {4, 5, 21, 64, 85, 256, k_most}) {
    if (places <= k_most) ts::run(of_places(places), call_everywhere);
  }
}

TEST(many_places, a_finish_takes_a_task_and_a_report_for_each_place) {
  ts::run(of_places(k_most), [] {
    clear();
    const sent seen = messages_of([] {
      ts::finish([] {
        for (const ts::place p : ts::places()) {
          if (p != ts::here()) ts::async_at(p, call_here);
        }
      });
    });
    EXPECT_EQ(seen, one_for_each_other_place());
    call_here();
    expect_calls_everywhere(1);
  });
}

TEST(many_places, of_one_finish_take_no_memory_of_the_programs_default_resource) {
  const support::no_default_memory none;
  ts::run(of_places(k_most), [] {
    clear();
    ts::finish([] {
      for (const ts::place p : ts::places()) ts::async_at(p, call_here);
    });
    expect_calls_everywhere(1);
  });
}

// A seeded run has the thread of its caller only, however many workers it has.
class many_seeded_places : public testing::Test {
protected:
  void SetUp() override {
    if (support::k_sanitized) GTEST_SKIP() << "sanitizers start threads themselves";
    const ts::runtime first(support::config_of(1));  // whose making starts the thread that answers SIGUSR1
    support::g_threads_left = 0;
  }
  void TearDown() override { support::g_threads_left = INT_MAX; }
};

TEST_F(many_seeded_places, need_no_threads) {
  EXPECT_THROW(ts::run(of_places(2), [] {}), ts::resource_error);
  ts::config c = of_places(k_most);
  c.seed = 5;
  ts::run(c, [] {
    EXPECT_EQ(ts::num_places(), k_most);
    call_everywhere();
  });
}

// ---- places whose tasks all wait ----

constexpr int k_places = 64;
constexpr int k_sleepers = 20;  // at each

std::mutex g_waiting;  // protects the next one
std::vector<ts::promise<int>> g_promises;

// Whoever fulfils it is no worker, so that all may sleep until then.
void wait_for_a_promise() {
  std::optional<ts::future<int>> told;
  {
    const std::lock_guard lock(g_waiting);
    told = g_promises.emplace_back(ts::external).get_future();
  }
  EXPECT_EQ(told->get(), 7);
  call_here();
}

bool all_wait() {
  const std::lock_guard lock(g_waiting);
  return g_promises.size() == std::size_t{k_places} * k_sleepers;
}

bool all_sleep(const td::run_control& run) {
  return std::all_of(run.places().begin(), run.places().end(), [](const auto& place) {
    bool asleep = false;
    place->idle().if_all_asleep([&asleep] { asleep = true; });
    return asleep;
  });
}

void tell_all_who_wait(const td::run_control& run) {
  while (!all_wait() || !all_sleep(run)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::lock_guard lock(g_waiting);
  for (const ts::promise<int>& p : g_promises) p.set_value(7);
}

TEST(many_places, of_which_each_has_tasks_that_sleep_sleep_themselves_and_go_on) {
  clear();
  g_promises.clear();
  ts::run(of_places(k_places), [] {
    std::thread outside(tell_all_who_wait, std::cref(td::current_worker()->owner->run()));
    ts::at_each(ts::places(), [] {
      for (int i = 0; i < k_sleepers; ++i) ts::async(wait_for_a_promise);
    });
    outside.join();
    expect_calls_everywhere(k_sleepers);
  });
}

// Whom the verdict frees.
TEST(many_places, of_which_each_has_tasks_that_wait_in_vain_are_freed) {
  clear();
  EXPECT_THROW(ts::run(of_places(k_places),
                       [] {
                         ts::at_each(ts::places(), [] {
                           for (int i = 0; i < k_sleepers; ++i) {
                             ts::async([] {
                               try {
                                 ts::promise<int>().get_future().get();
                               } catch (const ts::deadlock_error&) {
                                 call_here();
                               }
                             });
                           }
                         });
                         expect_calls_everywhere(k_sleepers);
                       }),
               ts::deadlock_error);
}

}  // namespace
