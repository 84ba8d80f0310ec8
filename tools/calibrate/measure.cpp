// SPDX-License-Identifier: Apache-2.0
// Each figure is the median of some rounds: a machine does other things besides.
#include "calibrate/measure.hpp"

#include <tactus/deque/impl/work_deque.hpp>
#include <tactus/tactus.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace calibrate {
namespace {

namespace ts = tactus;
using clock = std::chrono::steady_clock;

constexpr int k_rounds = 31;
constexpr int k_burst = 200;
constexpr std::size_t k_large = 65'536;  // what tasks that move together may have

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch()).count();
}

bool g_sleeps_when_busy = false;

// Keeps its worker busy.
void run_for(std::int64_t ns) {
  const std::int64_t until = now() + ns;
  if (g_sleeps_when_busy) std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  while (now() < until) {
  }
}

// A round that was not what it was to be gives 0.
template <class Round>
double median_of_rounds(Round round) {
  std::vector<double> seen;
  for (int i = 0; i < k_rounds; ++i) {
    if (const double ns = round(); ns > 0) seen.push_back(ns);
  }
  if (seen.empty()) return 0;
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
  std::nth_element(seen.begin(), middle, seen.end());
  return *middle;
}

double at_least_nothing(double ns) { return std::max(ns, 0.0); }

ts::place other() { return ts::place(1); }

double round_trip(std::size_t bytes) {
  const std::vector<char> load(bytes);
  return median_of_rounds([&load] {
    const std::int64_t begin = now();
    ts::at(other(), [](const std::vector<char>& came) { return came.size(); }, load);
    return static_cast<double>(now() - begin);
  });
}

double round_trip_of_result(std::size_t bytes) {
  return median_of_rounds([bytes] {
    const std::int64_t begin = now();
    ts::at(other(), [](std::size_t n) { return std::vector<char>(n); }, bytes);
    return static_cast<double>(now() - begin);
  });
}

// The sender's time for a message.
double sending() {
  return median_of_rounds([] {
    std::int64_t spent = 0;
    ts::finish([&spent] {
      const std::int64_t begin = now();
      for (int i = 0; i < k_burst; ++i) ts::async_at(other(), [] {});
      spent = now() - begin;
    });
    return static_cast<double>(spent) / k_burst;
  });
}

// Each place has one worker, and what its tasks write here nobody else reads.
std::int64_t g_first;
std::int64_t g_last;
std::int64_t g_gap;
std::int64_t g_spent;

// To take in a message and run what it brings: all of them come while the receiver runs something else.
double receiving_and_running(double sending_ns) {
  const auto meanwhile = static_cast<std::int64_t>(3 * k_burst * sending_ns) + 200'000;
  return median_of_rounds([meanwhile] {
    const std::int64_t spent = ts::at(
        other(),
        [](ts::place sender, std::int64_t ns) {
          g_first = 0;
          ts::finish([sender, ns] {
            ts::async_at(sender, [] {
              for (int i = 0; i < k_burst; ++i) {
                ts::async_at(other(), [] {
                  g_last = now();
                  if (g_first == 0) g_first = g_last;
                });
              }
            });
            run_for(ns);
          });
          return g_last - g_first;
        },
        ts::here(), meanwhile);
    return static_cast<double>(spent) / (k_burst - 1);
  });
}

// A task at home, which waits in a queue as a result does that has come.
double running_at_home() {
  return median_of_rounds([] {
    const std::int64_t begin = now();
    ts::finish([] {
      for (int i = 0; i < k_burst; ++i) ts::async_at(ts::here(), [] {});
    });
    return static_cast<double>(now() - begin) / k_burst;
  });
}

// The same of a task that may leave and does not: the other place has something to do.
double running_flexible_tasks_at_home() {
  constexpr std::int64_t k_long = 2'000'000;
  return median_of_rounds([] {
    ts::at(
        other(),
        [](ts::place home) {
          ts::finish([home] {
            ts::async_at(home, [] {
              const std::int64_t begin = now();
              ts::finish([] {
                for (int i = 0; i < k_burst; ++i) ts::async_at(ts::place_flexible, [] {});
              });
              g_spent = now() - begin;
            });
            run_for(k_long);
          });
        },
        ts::here());
    return static_cast<double>(g_spent) / k_burst;
  });
}

double failed_steal() {
  ts::detail::work_deque victim;
  return median_of_rounds([&victim] {
    ts::detail::entry nothing;
    const std::int64_t begin = now();
    for (int i = 0; i < k_burst; ++i) victim.steal(nothing);
    return static_cast<double>(now() - begin) / k_burst;
  });
}

// Tasks for who asks, and then something long.
void be_asked(std::int64_t least) {
  constexpr std::int64_t k_long = 4'000'000;
  for (int i = 0; i < k_burst; ++i) {
    ts::async_at(
        ts::place_flexible,
        [](ts::place home, std::int64_t least_ns) {
          if (ts::here() == home) return;
          const std::int64_t gap = now() - g_last;
          if (g_gap == 0 && gap > least_ns) g_gap = gap;
          g_last = now();
        },
        ts::here(), least);
  }
  run_for(k_long);
}

// From the end of a task at the other place to the begin of the next one, for which it has asked this place, whose worker runs something long.
// Half of what waits comes at a time; `least`: what lies between two of one time takes less.
double question_to_a_busy_place(std::int64_t least) {
  constexpr std::int64_t k_short = 1'000'000;
  return median_of_rounds([least] {
    const std::int64_t gap = ts::at(
        other(),
        [](ts::place home, std::int64_t least_ns) {
          ts::finish([home, least_ns] {
            ts::async_at(home, [](std::int64_t ns) { be_asked(ns); }, least_ns);
            run_for(k_short);
            g_gap = 0;
            g_last = now();
          });
          return g_gap;
        },
        ts::here(), least);
    return static_cast<double>(gap);
  });
}

}  // namespace

void sleep_when_busy() { g_sleeps_when_busy = true; }

measured measure() {
  measured m;
  const double empty = round_trip(0);
  m.latency = empty / 2;
  m.per_byte = at_least_nothing((round_trip(k_large) - empty) / k_large);
  m.send = sending();
  m.result = running_at_home();
  m.receive = at_least_nothing(receiving_and_running(m.send) - m.result);
  m.result_per_byte = at_least_nothing((round_trip_of_result(k_large) - empty) / k_large / 2);
  m.pack = at_least_nothing(running_flexible_tasks_at_home() - m.result);
  m.failed_steal = failed_steal();
  m.poll = at_least_nothing(question_to_a_busy_place(static_cast<std::int64_t>(empty / 4)) - empty - m.failed_steal);
  return m;
}

}  // namespace calibrate
