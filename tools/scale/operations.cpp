// SPDX-License-Identifier: Apache-2.0
#include "scale/operations.hpp"

#include <tactus/tactus.hpp>

#include <tactus/base/impl/options.hpp>

#include "scheduler/run_control.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

namespace scale {
namespace {

namespace ts = tactus;

// A config allows no more than 1,024 places in a process; what stands on it does not ask.
std::unique_ptr<ts::detail::run_control> runtime_of(int places, ts::copying how) {
  ts::config few{.threads = 1, .places = 2, .env = false};
  few.progress = ts::message_progress::worker;
  few.local_copy = how;
  ts::detail::resolved_options options = ts::detail::resolve_options(few);
  options.values.places = places;
  return std::make_unique<ts::detail::run_control>(options.values, options.process);
}

void finish_at_all() {
  ts::finish([] {
    for (const ts::place p : ts::places()) {
      if (p != ts::here()) ts::async_at(p, [] {});
    }
  });
}

void go_on() {
  if (ts::here().next() != ts::place(0)) ts::async_at(ts::here().next(), go_on);
}

void go_round() { ts::finish(go_on); }

void at_all() {
  ts::at_each(ts::places(), [] {});
}

void barriers(int how_many) {
  ts::at_each(
      ts::places(),
      [](int n) {
        for (int i = 0; i < n; ++i) ts::team::world().barrier();
      },
      how_many);
}

traffic operator-(traffic a, const traffic& b) {
  a.messages -= b.messages;
  for (std::size_t i = 0; i < a.clocks.size(); ++i) {
    a.clocks[i] -= b.clocks[i];
    a.of_a_place[i] -= b.of_a_place[i];
  }
  return a;
}

// As the root task has seen it, at place 0.
outcome outcome_of(const traffic& t) {
  return {.messages = t.messages,
          .at_busiest = *std::max_element(t.of_a_place.begin(), t.of_a_place.end()),
          .time = t.clocks[0]};
}

template <class F>
traffic traffic_of(F f) {
  const traffic before = virtual_network::last().so_far();
  f();
  return virtual_network::last().so_far() - before;
}

// After the same has been done once: what it makes for later is there.
template <class F>
outcome second_time(F f) {
  f();
  return outcome_of(traffic_of(f));
}

// The mean of several in a row: all have to be called to the first one, and come to it at different times.
outcome of_barrier() {
  constexpr int k_in_a_row = 4;
  barriers(1);
  const traffic of_one = traffic_of([] { barriers(1); });
  outcome seen = outcome_of(traffic_of([] { barriers(1 + k_in_a_row); }) - of_one);
  seen.messages /= k_in_a_row;
  seen.at_busiest /= k_in_a_row;
  seen.time /= k_in_a_row;
  return seen;
}

// From when the last task waits to when the last is told that it does so in vain.
std::atomic<std::int64_t> g_last_waits;
std::atomic<std::int64_t> g_last_told;

void keep_most(std::atomic<std::int64_t>& most, std::int64_t time) {
  std::int64_t seen = most.load();
  while (time > seen && !most.compare_exchange_weak(seen, time)) {
  }
}

void wait_in_vain() {
  virtual_network& network = virtual_network::last();
  const int here = ts::here().id();
  keep_most(g_last_waits, network.clock_of(here));
  try {
    ts::promise<int>().get_future().get();
  } catch (const ts::deadlock_error&) {
    keep_most(g_last_told, network.clock_of(here));
  }
}

outcome of_verdict() {
  g_last_waits = 0;
  g_last_told = 0;
  outcome seen = outcome_of(traffic_of([] { ts::at_each(ts::places(), wait_in_vain); }));
  seen.time = g_last_told - g_last_waits;
  return seen;
}

}  // namespace

outcome cost_of(operation what, int places, const costs& c) {
  const bool asks_for_verdict = what == operation::verdict;
  const networks_in_use virtual_time(c, asks_for_verdict ? subject::verdict : subject::operations);
  const auto runtime = runtime_of(places, asks_for_verdict ? ts::copying::serialize : ts::copying::automatic);
  virtual_network::last().wait_for_idle_places();
  outcome seen;
  auto body = [what, &seen] {
    switch (what) {
      case operation::finish: seen = second_time(finish_at_all); break;
      case operation::round: seen = second_time(go_round); break;
      case operation::at_each: seen = second_time(at_all); break;
      case operation::barrier: seen = of_barrier(); break;
      case operation::verdict: seen = of_verdict(); break;
    }
  };
  try {
    ts::detail::run_on(*runtime, body);
  } catch (const ts::deadlock_error&) {  // as the run ends that was stuck
    if (!asks_for_verdict) throw;
  }
  return seen;
}

}  // namespace scale
