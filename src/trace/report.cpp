// SPDX-License-Identifier: Apache-2.0
// Answers the hooks of base/probe.hpp: keeps what schedulers have counted, also after they have gone.

#include <tactus/base/atomic.hpp>
#include <tactus/base/probe.hpp>
#include <tactus/scheduler/scheduler.hpp>
#include <tactus/task/future_state.hpp>
#include <tactus/trace/stats.hpp>

#include <cstdio>
#include <mutex>
#include <vector>

namespace tactus {
namespace detail {
namespace {

std::mutex g_mutex;  // protects both
std::vector<scheduler*> g_alive;
runtime_stats g_last;  // of the scheduler that ended last

runtime_stats read(scheduler& s) {
  runtime_stats all;
  for (int i = 0; i < s.size(); ++i) {
    all.workers.push_back(snapshot(s.at(i).counters));
  }
  all.totals = sum_of(all.workers);
  all.totals.unseen_exceptions += g_unseen_outside_workers.load(memory_order_relaxed);  // relaxed: a count
  all.wall = s.wall();
  all.cpu = s.cpu();
  return all;
}

}  // namespace

void scheduler_starts(scheduler& s) {
  const std::lock_guard lock(g_mutex);
  g_alive.push_back(&s);
}

void scheduler_ends(scheduler& s) noexcept {
  const std::lock_guard lock(g_mutex);
  std::erase(g_alive, &s);
  g_last = read(s);
}

void report_stats(scheduler& s) { std::fputs(to_table(read(s)).c_str(), stderr); }

}  // namespace detail

runtime_stats stats() {
  const std::lock_guard lock(detail::g_mutex);
  return detail::g_alive.empty() ? detail::g_last : detail::read(*detail::g_alive.back());
}

}  // namespace tactus
