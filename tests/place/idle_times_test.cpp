// SPDX-License-Identifier: Apache-2.0
// How long workers had nothing to do: while they search, in a run.
#include "place/idle_times.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;
using tactus::detail::idle_times;

// So that what it lies in takes longer than what does not.
void pass_some_time() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

TEST(idle_times, are_those_of_searches) {
  idle_times t(3);
  t.run_begins();
  pass_some_time();  // all compute
  t.begins(1);
  const auto begin = steady_clock::now();
  pass_some_time();
  const nanoseconds first = steady_clock::now() - begin;
  t.ends(1);
  pass_some_time();
  t.begins(1);
  const auto again = steady_clock::now();
  pass_some_time();
  const nanoseconds second = steady_clock::now() - again;
  t.ends(1);
  t.run_ends();
  EXPECT_GE(t.in_runs(), first + second);
  EXPECT_LT(t.in_runs(), steady_clock::now() - begin);
}

TEST(idle_times, of_searches_that_are_not_over_count_so_far) {
  idle_times t(2);
  t.begins(0);
  pass_some_time();  // before the run
  const auto before = steady_clock::now();
  t.run_begins();
  const auto begin = steady_clock::now();
  pass_some_time();
  const nanoseconds at_least = steady_clock::now() - begin;
  t.run_ends();
  EXPECT_GE(t.in_runs(), at_least);
  EXPECT_LE(t.in_runs(), steady_clock::now() - before);
}

TEST(idle_times, between_runs_are_of_none) {
  idle_times t(2);
  nanoseconds at_least{0};
  nanoseconds at_most{0};
  t.begins(0);
  for (int run = 0; run < 2; ++run) {
    const auto before = steady_clock::now();
    t.run_begins();
    const auto begin = steady_clock::now();
    pass_some_time();
    at_least += steady_clock::now() - begin;
    t.run_ends();
    at_most += steady_clock::now() - before;
    pass_some_time();
  }
  EXPECT_GE(t.in_runs(), at_least);
  EXPECT_LE(t.in_runs(), at_most);
}

TEST(idle_times, of_several_workers_are_summed) {
  idle_times t(2);
  t.run_begins();
  t.begins(0);
  t.begins(1);
  const auto begin = steady_clock::now();
  pass_some_time();
  const nanoseconds of_each = steady_clock::now() - begin;
  t.ends(1);
  t.ends(0);
  t.run_ends();
  EXPECT_GE(t.in_runs(), 2 * of_each);
}

}  // namespace
