// SPDX-License-Identifier: Apache-2.0
// What a runtime has counted, and two ways to print it. The counters themselves stand in base/counters.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tactus/base/counters.hpp>
#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/durations.hpp>

namespace tactus {

/// What one operation of distributed arrays of one name has sent from one place to others: messages with elements, or with what elements
/// come to, counted where they leave, in one process as between several. What only asks, spawns or says that something has ended is among
/// place_stats::messages.
/// Errors: none.
/// \snippet reference.cpp operations
/// \ingroup inside
struct operation_stats {
  std::string array;  ///< array_options::name; of a ghost_group the names of its members
  std::string
      operation;  ///< "get", "set", "accumulate", "fill", "for_each", "map", "reduce", "scan", "sort", "sequence",
                  ///< "copy", "send_ghosts", "send_contributions", "transfer", "save", "load"
  std::uint64_t messages = 0;  ///< to other places
  std::uint64_t bytes = 0;     ///< of the elements in them
};

/// What one place has counted.
/// Errors: none.
/// \snippet reference.cpp stats
/// \ingroup inside
struct place_stats {
  std::vector<worker_counters> workers;  ///< its own, by their numbers there
  worker_counters totals;                ///< of them all
  std::uint64_t messages =
      0;  ///< sent to other places: tasks, calls of at() and their ends, reports of finishes; none with one place
  std::uint64_t bytes = 0;  ///< of these messages
  std::uint64_t messages_taken =
      0;  ///< that have come from other places, with news of room; each has been looked at, its task may still wait
  std::vector<operation_stats>
      operations;  ///< of distributed arrays that were carried out, by array and operation; those that sent nothing too
  double busy_seconds =
      0;  ///< of its workers together, in runs that are over, when they were not looking for work; with several places
  std::uint64_t flexible_spawned =
      0;  ///< place_flexible tasks that could move; as what follows none where config::placement is none
  std::uint64_t kept =
      0;  ///< those that began here, where they were meant to run, and had never left; over all places these and migrations are flexible_spawned
  std::uint64_t dealt = 0;           ///< tasks that went from here elsewhere than they were meant for, at their spawn
  std::uint64_t given = 0;           ///< tasks that waited here and went to another place
  std::uint64_t migrated = 0;        ///< the two together: tasks that went from here to other places
  std::uint64_t received = 0;        ///< what other places have dealt and given
  std::uint64_t migrated_bytes = 0;  ///< that these consisted of, counted where they left
  std::uint64_t migrations = 0;      ///< tasks that moved for the first time
  std::uint64_t results_home = 0;    ///< results that went from here to their designated places
  std::uint64_t results_home_bytes = 0;    ///< that these consisted of
  std::uint64_t starvations = 0;           ///< times a worker has starved
  std::uint64_t remote_steals_tried = 0;   ///< questions to other places for tasks
  std::uint64_t remote_steals_failed = 0;  ///< of these, those that were answered by none
  std::uint64_t lifeline_requests = 0;     ///< questions that other places were to remember
  std::uint64_t relays = 0;                ///< of these, those on behalf of others
  std::uint64_t loads_asked = 0;           ///< questions how much there is to do
};

/// A snapshot of all workers: exact between runs; in a run each number is right for some moment of it, and of several processes it is of one.
/// Errors: none.
/// \snippet reference.cpp stats
/// \ingroup inside
struct runtime_stats {
  std::vector<worker_counters> workers;  ///< of all places, those of place 0 first
  worker_counters totals;                ///< of all workers, and of what no worker counts alone
  std::chrono::nanoseconds wall{0};      ///< time during which a run was active
  std::chrono::nanoseconds cpu{0};       ///< processor time over the same stretch, of all processes
  std::vector<place_stats> places;       ///< by place; in a run, those of this process
  std::uint64_t moves = 0;               ///< of place_flexible tasks from place to place
  std::uint64_t migrations = 0;          ///< tasks that moved, however often
  double migration_ratio = 0;            ///< of all tasks that were spawned
  /// How much of the time, in percent, the workers of a place were not looking for work: the mean over the places, and the standard
  /// deviation. 0 with one place.
  double utilisation_mean = 0;
  double utilisation_sigma = 0;  ///< see utilisation_mean
  /// What holds the runtime back, a sentence each: that only one thread may talk to MPI, say. Mostly none.
  std::vector<std::string> notices;
};

/// What the runtime has counted since it was made: the one that is alive, else the one that ended last; of several, the
/// youngest; else zeros. Any thread, any time; inside a run a snapshot. Never suspends. runtime::stats is the same of one.
/// Errors: std::bad_alloc.
/// Cost: a lock and an allocation.
/// \snippet reference.cpp stats
/// \ingroup inside
[[nodiscard]] TACTUS_API runtime_stats stats();

/// The counters of several workers as one: events and bytes add up, of maxima the largest stays.
/// Errors: none.
/// \snippet reference.cpp counters
/// \ingroup inside
[[nodiscard]] TACTUS_API worker_counters sum_of(const std::vector<worker_counters>& workers);

/// An aligned table for people, one line per counter that is not zero everywhere, ending in a newline. Up to eight
/// workers have a column each; of more, the least and the most are shown. The same as TACTUS_STATS=1 prints.
/// Errors: std::bad_alloc.
/// \snippet reference.cpp to_table
/// \ingroup inside
[[nodiscard]] TACTUS_API std::string to_table(const runtime_stats& stats);

/// One JSON object on one line: wall_ns, cpu_ns, totals, moves and what follows, notices, places, workers; every counter under its name, zero or not.
/// Errors: std::bad_alloc.
/// \snippet reference.cpp to_table
/// \ingroup inside
[[nodiscard]] TACTUS_API std::string to_json(const runtime_stats& stats);

}  // namespace tactus
