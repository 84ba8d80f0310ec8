// SPDX-License-Identifier: Apache-2.0
// Answers the hooks of base/probe.hpp: keeps what schedulers have counted, also after they have gone.

#include <tactus/base/atomic.hpp>
#include <tactus/base/probe.hpp>
#include <tactus/scheduler/scheduler.hpp>
#include <tactus/task/future_state.hpp>
#include <tactus/trace/stats.hpp>
#include <tactus/trace/timeline.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tactus {
namespace detail {
namespace {

std::mutex g_mutex;  // protects all three
std::vector<scheduler*> g_alive;
std::map<scheduler*, std::unique_ptr<timeline>> g_timelines;  // of those that have one
runtime_stats g_last;                                         // of the scheduler that ended last

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
  std::unique_ptr<timeline> kept;
  if (const std::string& file = s.options().trace; !file.empty()) {
    const auto n = static_cast<std::size_t>(s.size());
    kept = std::make_unique<timeline>(file, n);
    for (std::size_t i = 0; i < n; ++i) {
      s.at(static_cast<int>(i)).timeline = &kept->at(i);
    }
  }
  const std::lock_guard lock(g_mutex);
  if (kept != nullptr) {
    g_timelines.emplace(&s, std::move(kept));
  }
  g_alive.push_back(&s);
}

void scheduler_ends(scheduler& s) noexcept {
  std::unique_ptr<timeline> kept;  // written when it goes, without the lock
  const std::lock_guard lock(g_mutex);
  if (const auto at = g_timelines.find(&s); at != g_timelines.end()) {
    kept = std::move(at->second);
    g_timelines.erase(at);
  }
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
