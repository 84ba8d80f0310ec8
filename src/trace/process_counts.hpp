// SPDX-License-Identifier: Apache-2.0
// What the processes of a job have counted, each for itself, brought together when a run has ended. docs/protocols/processes.md, "Counters".
#pragma once

#include <tactus/trace/stats.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tactus::detail {

class job;

/// What a worker counts, in the order of visit().
inline constexpr std::size_t k_counters_of_worker = [] {
  std::size_t n = 0;
  worker_counters::visit([&n](const char*, const char*, counter_kind, auto) { ++n; });
  return n;
}();
[[nodiscard]] std::vector<std::uint64_t> counters_of(const std::vector<worker_counters>& workers);
[[nodiscard]] std::vector<worker_counters> workers_of(std::span<const std::uint64_t> counters);

/// Of one process, which is one place.
struct process_counts {
  place_stats place;
  std::uint64_t unseen_exceptions = 0;  ///< that no worker has counted
  std::int64_t cpu = 0;                 ///< ns

  template <class Archive>
  void serialize(Archive& a) {
    place_stats& p = place;
    std::vector<std::uint64_t> counters =
        counters_of(p.workers);  // number by number: machines have them in either order of bytes
    a & counters;
    if constexpr (Archive::loading) {
      if (counters.size() % k_counters_of_worker != 0) {
        a.damaged("a worker has not so many counters");
      }
      p.workers = workers_of(counters);
    }
    a & p.messages & p.bytes & p.messages_taken & p.operations & p.busy_seconds;
    a & p.flexible_spawned & p.kept & p.dealt & p.given & p.migrated & p.received & p.migrated_bytes & p.migrations &
        p.results_home;
    a & p.results_home_bytes & p.starvations & p.remote_steals_tried & p.remote_steals_failed & p.lifeline_requests;
    a & p.relays & p.loads_asked & unseen_exceptions & cpu;
  }
};

/// Tells all processes, of which this is number `rank`, what this one has counted, and hears that of all, by their numbers. All of them do it,
/// while nothing else is told among them. std::bad_alloc: the others wait for this one.
[[nodiscard]] std::vector<process_counts> gather(job& processes, int rank, int ranks, const process_counts& own);

/// In place of `own`, which one process has counted, what all of them have.
[[nodiscard]] runtime_stats joined(const runtime_stats& own, std::span<const process_counts> all);

/// The sums over places of what stands in them.
void sum_placement(runtime_stats& all);

}  // namespace tactus::detail
