// SPDX-License-Identifier: Apache-2.0
// Answers the hooks of src/base/probe.hpp: keeps what schedulers have counted, also after they have gone.

#include <tactus/base/impl/assert.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/task/impl/future_state.hpp>
#include <tactus/task/run.hpp>
#include <tactus/trace/stats.hpp>

#include "array/operation_table.hpp"
#include "base/never_destroyed.hpp"
#include "base/probe.hpp"
#include "place/flexible_tasks.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/scheduler.hpp"
#include "trace/make_timeline.hpp"
#include "trace/process_counts.hpp"
#include "trace/profile.hpp"
#include "trace/timeline.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
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

// What is noted of the tasks of a runtime; a profile only beside a timeline, which may have no file.
struct notes {
  std::unique_ptr<timeline> events;
  std::unique_ptr<profile> counts;
};

// Never destroyed: a runtime may be static, and end after other static objects.
struct known_runtimes {
  std::mutex mutex;  // protects all of them
  std::vector<run_control*> alive;
  std::map<run_control*, notes> noted;  // of those of which something is
  runtime_stats last;                   // of the runtime that ended last
};

known_runtimes& known() {
  static never_destroyed<known_runtimes> all;
  return all.get();
}

void add_placement(place_stats& s, const place_node& node, std::chrono::nanoseconds wall) {
  using seconds = std::chrono::duration<double>;
  const seconds idle(node.idle_time());
  s.busy_seconds = std::max(seconds(wall).count() * static_cast<double>(s.workers.size()) - idle.count(), 0.0);
  if (const flexible_tasks* const moving = node.flexible(); moving != nullptr) {
    const placement_counts c = moving->counts();
    s.flexible_spawned = c.spawned;
    s.kept = c.kept;
    s.dealt = c.dealt;
    s.given = c.given;
    s.migrated = c.dealt + c.given;
    s.received = c.received;
    s.migrated_bytes = c.migrated_bytes;
    s.migrations = c.migrations;
    s.results_home = c.results_home;
    s.results_home_bytes = c.results_home_bytes;
    s.starvations = c.starvations;
    s.remote_steals_tried = c.steals_tried;
    s.remote_steals_failed = c.steals_failed;
    s.lifeline_requests = c.lifeline_requests;
    s.relays = c.relays;
    s.loads_asked = c.loads_asked;
  }
}

// Of this process.
runtime_stats own_stats_of(const run_control& r) {
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
      add_placement(of_place, node, r.wall());
    }
    for (counted_operation& o : operations_of(p->at(0).objects)) {
      of_place.operations.push_back({std::move(o.array), o.operation, o.messages, o.bytes});
    }
  }
  if (r.processes() != nullptr && place_node::of(r.home()).is_reached_by_one_thread()) {
    all.notices.emplace_back(
        "only the first worker of a process may talk to MPI (MPI_THREAD_FUNNELED or less), so messages wait while that "
        "one computes; initialise MPI with MPI_THREAD_SERIALIZED or more");
  }
  all.totals = sum_of(all.workers);
  all.totals.unseen_exceptions +=
      g_unseen_outside_workers.load(memory_order_relaxed) - r.unseen_before();  // relaxed: a count
  all.wall = r.wall();
  all.cpu = r.cpu();
  sum_placement(all);
  return all;
}

// What all processes of a job had counted when their last run had ended; until the next one begins nothing is added.
class gathered_counts {
public:
  void put(const run_control& r, std::vector<process_counts> counts) {
    const std::lock_guard lock(mutex_);
    of_[&r] = std::move(counts);
  }
  void forget(const run_control& r) noexcept {
    const std::lock_guard lock(mutex_);
    of_.erase(&r);
  }
  [[nodiscard]] runtime_stats in_place_of(runtime_stats own, const run_control& r) {
    const std::lock_guard lock(mutex_);
    const auto at = of_.find(&r);
    return at == of_.end() ? std::move(own) : joined(own, at->second);
  }

private:
  std::mutex mutex_;  // protects the map
  std::map<const run_control*, std::vector<process_counts>> of_;
};

gathered_counts& gathered() {
  static never_destroyed<gathered_counts> all;
  return all.get();
}

runtime_stats stats_of(const run_control& r) {
  runtime_stats own = own_stats_of(r);
  return r.processes() == nullptr || r.is_running() ? own : gathered().in_place_of(std::move(own), r);
}

// Null: nobody asks for one.
std::unique_ptr<profile> make_profile(run_control& r) {
  const config& o = r.options();
  if (o.profile.empty()) {
    return nullptr;
  }
  auto made = std::make_unique<profile>(o.profile, o.places, o.threads, r.workers().size(), *r.sites());
  for (worker* const w : r.workers()) {
    w->timeline->belongs_to(*made, made->at(static_cast<std::size_t>(w->seat)));
  }
  return made;
}

}  // namespace

void runtime_starts(run_control& r) {
  r.set_unseen_before(g_unseen_outside_workers.load(memory_order_relaxed));  // relaxed: a count
  notes kept;
  try {
    if (notes_tasks(r.options())) {
      kept.events = make_timeline(r);
      for (worker* const w : r.workers()) {
        w->timeline = &kept.events->at(static_cast<std::size_t>(w->seat));
      }
      kept.counts = make_profile(r);
    }
    known_runtimes& all = known();
    const std::lock_guard lock(all.mutex);
    all.alive.reserve(all.alive.size() + 1);  // all of it or nothing
    if (kept.events != nullptr) {
      all.noted[&r] = std::move(kept);
    }
    all.alive.push_back(&r);
  } catch (...) {
    if (kept.events != nullptr) {
      kept.events->keep_to_itself();  // other processes may not get so far
    }
    throw;
  }
}

void runtime_ends(run_control& r) noexcept {
  notes kept;  // written when they go, without the lock
  known_runtimes& all = known();
  const std::lock_guard lock(all.mutex);
  if (const auto at = all.noted.find(&r); at != all.noted.end()) {
    kept = std::move(at->second);
    all.noted.erase(at);
    if (r.number() == 0) {
      kept.events->keep_to_itself();  // nothing has run; where a runtime could not be made, others may not get so far
    }
  }
  std::erase(all.alive, &r);
  try {
    all.last = stats_of(r);
  } catch (const std::bad_alloc&) {
    all.last = {};
  }
  gathered().forget(r);
  for (const auto& p : r.places()) {
    forget_operations(p->at(0).objects);
  }
}

void write_profile(run_control& r) {
  known_runtimes& all = known();
  const std::lock_guard lock(all.mutex);
  if (const auto at = all.noted.find(&r); at != all.noted.end()) {
    at->second.counts->write();  // write_profile() is for those that have one
  }
}

// Who went on without having told, or heard, would leave others waiting for ever.
void gather_stats(run_control& r) {
  try {
    const runtime_stats own = own_stats_of(r);
    const process_counts counts{own.places.front(),
                                own.totals.unseen_exceptions - sum_of(own.workers).unseen_exceptions, own.cpu.count()};
    gathered().put(r, gather(*r.processes(), r.home().place(), r.options().places, counts));
  } catch (const std::bad_alloc& why) {
    end_without_memory("what the processes of a run have counted needs memory", why.what());
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
