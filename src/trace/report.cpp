// SPDX-License-Identifier: Apache-2.0
// Answers the hooks of src/base/probe.hpp: keeps what schedulers have counted, also after they have gone.

#include <tactus/base/impl/atomic.hpp>
#include <tactus/task/impl/future_state.hpp>
#include <tactus/task/run.hpp>
#include <tactus/trace/stats.hpp>

#include "array/operation_table.hpp"
#include "base/never_destroyed.hpp"
#include "base/probe.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/scheduler.hpp"
#include "trace/timeline.hpp"

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tactus {
namespace detail {
namespace {

// Never destroyed: a runtime may be static, and end after other static objects.
struct known_runtimes {
  std::mutex mutex;  // protects all three
  std::vector<run_control*> alive;
  std::map<run_control*, std::unique_ptr<timeline>> timelines;  // of those that have one
  runtime_stats last;                                           // of the runtime that ended last
};

known_runtimes& known() {
  static never_destroyed<known_runtimes> all;
  return all.get();
}

runtime_stats stats_of(const run_control& r) {
  runtime_stats all;
  for (const worker* w : r.workers()) {
    all.workers.push_back(snapshot(w->counters));
  }
  for (const auto& p : r.places()) {
    place_stats& of_place = all.places.emplace_back();
    const auto first = all.workers.begin() + static_cast<std::ptrdiff_t>(p->at(0).seat);
    of_place.workers.assign(first, first + p->size());
    of_place.totals = sum_of(of_place.workers);
    if (p->remote() != nullptr) {
      const place_node& node = place_node::of(*p);
      of_place.messages = node.messages();
      of_place.bytes = node.bytes();
      of_place.messages_taken = node.taken_in_all();
    }
    for (counted_operation& o : operations_of(p->at(0).objects)) {
      of_place.operations.push_back({std::move(o.array), o.operation, o.messages, o.bytes});
    }
  }
  all.totals = sum_of(all.workers);
  all.totals.unseen_exceptions += g_unseen_outside_workers.load(memory_order_relaxed);  // relaxed: a count
  all.wall = r.wall();
  all.cpu = r.cpu();
  return all;
}

}  // namespace

void runtime_starts(run_control& r) {
  std::unique_ptr<timeline> kept;
  if (const std::string& file = r.options().trace; !file.empty()) {
    std::vector<int> places;
    for (const worker* const w : r.workers()) {
      places.push_back(w->place);
    }
    const bool is_one_of_many = r.processes() != nullptr;
    kept = std::make_unique<timeline>(
        is_one_of_many ? with_suffix(file, "-place" + std::to_string(r.home().place())) : file, std::move(places));
    for (worker* const w : r.workers()) {
      w->timeline = &kept->at(static_cast<std::size_t>(w->seat));
    }
  }
  known_runtimes& all = known();
  const std::lock_guard lock(all.mutex);
  if (kept != nullptr) {
    all.timelines.emplace(&r, std::move(kept));
  }
  all.alive.push_back(&r);
}

void runtime_ends(run_control& r) noexcept {
  std::unique_ptr<timeline> kept;  // written when it goes, without the lock
  known_runtimes& all = known();
  const std::lock_guard lock(all.mutex);
  if (const auto at = all.timelines.find(&r); at != all.timelines.end()) {
    kept = std::move(at->second);
    all.timelines.erase(at);
  }
  std::erase(all.alive, &r);
  try {
    all.last = stats_of(r);
  } catch (const std::bad_alloc&) {
    all.last = {};
  }
  for (const auto& p : r.places()) {
    forget_operations(p->at(0).objects);
  }
}

void report_stats(run_control& r) { std::fputs(to_table(stats_of(r)).c_str(), stderr); }

}  // namespace detail

runtime_stats stats() {
  detail::known_runtimes& all = detail::known();
  const std::lock_guard lock(all.mutex);
  return all.alive.empty() ? all.last : detail::stats_of(*all.alive.back());
}

runtime_stats runtime::stats() const { return detail::stats_of(*run_); }

}  // namespace tactus
