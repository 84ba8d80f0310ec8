// SPDX-License-Identifier: Apache-2.0
// Places of one process or of several: place 0 is the victim, place 1 the thief. Their clock is one, since they are on one machine.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tactus/tactus.hpp>

#include "placement/busy_victim/busy_victim.hpp"
#include "support/busy_work.hpp"
#include "support/tactus_pool.hpp"

namespace bench {

/// Of one place, whose only worker writes it.
struct busy_log {
  std::uint64_t ran = 0;
  std::int64_t idle_since = 0;
  std::int64_t longest_wait = 0;
};

class tactus_busy_victim {
public:
  tactus_busy_victim(const options& o, busy_victim_problem& p) : problem_(p), runtime_(config_of_places(o, 2)) {
    g_steps = steps_taking(busy_victim_problem::k_task_ns);
    runtime_.run([] {});
  }

  void pass() {
    runtime_.run([this] {
      for (std::uint64_t i = 0; i < problem_.rounds(); ++i) problem_.done(one_round());
    });
  }

private:
  static std::int64_t now() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  }

  static busy_log& log_here() { return g_logs[static_cast<std::size_t>(tactus::here().id())]; }

  // What is at place 1 runs while place 0 computes, or after it.
  static void task(std::int64_t until) {
    busy_log& log = log_here();
    if (const std::int64_t begin = now(); begin < until) {
      log.longest_wait = std::max(log.longest_wait, begin - log.idle_since);
    }
    compute(g_steps);
    ++log.ran;
    log.idle_since = now();
  }

  // By place 0, which is the first of its process.
  static std::uint64_t given() { return tactus::stats().places.front().given; }

  // At place 0.
  static busy_round one_round() {
    namespace ts = tactus;
    std::uint64_t steals = 0;
    ts::at_each(ts::places(), [] { log_here() = {.ran = 0, .idle_since = now(), .longest_wait = 0}; });
    ts::finish([&steals] {
      const std::int64_t until = now() + busy_victim_problem::k_computes_ns;
      for (std::uint64_t i = 0; i < busy_victim_problem::k_tasks; ++i) ts::async_at(ts::place_flexible, task, until);
      const std::uint64_t before = given();
      while (now() < until) {
      }
      steals = given() - before;
    });
    const busy_log there = ts::at(ts::place(1), [] { return log_here(); });
    return {steals, log_here().ran + there.ran, there.longest_wait};
  }

  static inline std::array<busy_log, 2> g_logs;
  static inline std::uint64_t g_steps = 0;

  busy_victim_problem& problem_;
  tactus::runtime runtime_;
};

}  // namespace bench
