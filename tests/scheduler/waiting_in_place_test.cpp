// SPDX-License-Identifier: Apache-2.0
// A body that only waits for what other workers run: it stays where it is for a moment, and never in anybody's way.
#include <tactus/tactus.hpp>

#include "support/parallel.hpp"
#include "support/scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

ts::config two_workers() {
  ts::config c;
  c.threads = 2;
  c.policy = ts::spawn_policy::help_first;  // the child is queued, so that the other worker can have it
  c.env = false;
  return c;
}

std::size_t processors() { return ts::detail::affinity_processors().size(); }

using moment = std::chrono::steady_clock::time_point;
using std::chrono::steady_clock;

// The longest wait in place is 50 us: what comes later than this has waited for its end.
constexpr std::chrono::microseconds k_soon{35};

/// The one below which that part of all lies.
std::chrono::nanoseconds quantile(std::vector<std::chrono::nanoseconds> all, double part) {
  std::sort(all.begin(), all.end());
  return all[static_cast<std::size_t>(part * static_cast<double>(all.size()))];
}

std::uint64_t in_place() { return ts::stats().totals.finishes_in_place; }
std::uint64_t suspended() { return ts::stats().totals.finishes_parked; }

// Without a yield, which would be a long one where other programs run.
void spin_until(const std::atomic<bool>& set) {
  while (!set.load()) {
  }
}

// The body ends its part while its child is running on the other worker. `rest` is what the child then still does.
template <class F>
void finish_over_a_child_elsewhere(F rest) {
  std::atomic<bool> runs{false};
  std::atomic<bool> alone{false};
  ts::finish([&] {
    ts::async([&] {
      runs = true;
      spin_until(alone);
      rest();
    });
    spin_until(runs);
    alone = true;
  });
}

TEST(waiting_in_place_test, a_short_wait_suspends_nothing_and_goes_on_in_the_same_thread) {
  if (processors() < 2) GTEST_SKIP() << "needs two processors: with fewer no body waits in place";
  ts::runtime rt(two_workers());
  // One in many would be enough: the system may take a processor away at any time.
  while (in_place() == 0) {
    rt.run([] {
      const std::thread::id before = std::this_thread::get_id();
      const std::uint64_t parked = suspended();
      finish_over_a_child_elsewhere([] {});
      if (suspended() == parked) {
        EXPECT_EQ(std::this_thread::get_id(), before);
      }
    });
  }
}

TEST(waiting_in_place_test, a_long_wait_suspends) {
  ts::runtime rt(two_workers());
  const std::uint64_t after = rt.run([] {
    finish_over_a_child_elsewhere([] {
      while (suspended() == 0) std::this_thread::yield();
    });
    return suspended();  // here: the root's finish may have to wait, too
  });
  EXPECT_EQ(after, 1U);
}

TEST(waiting_in_place_test, other_work_goes_first) {
  if (processors() < 2) GTEST_SKIP() << "needs two processors: with fewer no body waits in place";
  ts::runtime rt(two_workers());
  std::vector<std::chrono::nanoseconds> delays(200);
  for (std::chrono::nanoseconds& delay : delays) {
    rt.run([&delay] {
      finish_over_a_child_elsewhere([&delay] {
        support::event done;
        const moment ready = steady_clock::now();
        ts::async([&delay, &done, ready] {
          delay = steady_clock::now() - ready;
          done.set();
        });
        done.await();  // this worker does nothing else: the one that waits has to come
      });
    });
  }
  EXPECT_EQ(in_place(), 0U);
  if (!support::k_sanitized) {
    EXPECT_LT(quantile(delays, 0.1), k_soon) << "where both workers have their processors";
  }
}

TEST(waiting_in_place_test, nobody_does_with_one_worker_or_more_workers_than_processors) {
  for (const int threads : {1, static_cast<int>(2 * processors())}) {
    ts::config c = two_workers();
    c.threads = threads;
    ts::runtime rt(c);
    rt.run([] {
      for (int i = 0; i < 2'000; ++i) {
        ts::finish([] {
          for (int k = 0; k < 8; ++k) ts::async([] { std::this_thread::yield(); });
        });
      }
    });
    EXPECT_EQ(in_place(), 0U) << threads << " workers";
  }
}

}  // namespace
