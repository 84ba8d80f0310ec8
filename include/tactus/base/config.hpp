// SPDX-License-Identifier: Apache-2.0
// How a runtime is configured: an aggregate, overridden by TACTUS_* variables and --tactus-* flags.
#pragma once

#include <tactus/base/impl/standard.hpp>
#include <tactus/base/placement_policy.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tactus {

/// What a worker does at an async: for all of a run in config::policy, for one spawn as an attribute of async.
/// Errors: config_error for another name in TACTUS_POLICY or `--tactus-policy`.
/// Source: work-stealing.txt, section 4.
/// \snippet reference.cpp spawn_policy
/// \ingroup tasks
enum class spawn_policy : std::uint8_t {
  adaptive,    ///< help_first, work_first or a throttled spawner, by evidence; bounded space
  work_first,  ///< run the child at once and leave the continuation to thieves
  help_first,  ///< leave the child to thieves and go on
  work_sharing,  ///< put the child into one queue of all workers and go on: first in, first out, unbounded; to compare with
};

/// Where workers are bound: whether each of them stays on one processor, so that its caches stay its own, or near one memory.
/// Errors: config_error for another name in TACTUS_BIND or `--tactus-bind`.
/// \snippet reference.cpp config
/// \ingroup running
enum class binding : std::uint8_t {
  none,  ///< the operating system places the workers
  core,  ///< worker i stays on the i-th usable processor
  numa,  ///< worker i stays on those usable processors that share a node of memory with the i-th
};

/// Who handles the messages of places while their workers compute.
/// Errors: config_error for another name in TACTUS_PROGRESS or `--tactus-progress`.
/// \snippet reference.cpp config
/// \ingroup running
enum class message_progress : std::uint8_t {
  hybrid,  ///< workers between tasks and while they search; a thread besides, which sleeps while they do
  worker,  ///< workers only: a place that computes answers nobody meanwhile, and one that sleeps asks for tasks again
  ///< (placement random_stealing) when a worker of another place has run out of work; between processes one worker
  ///< of those that sleep looks now and then, and there is no peer_timeout
  thread,  ///< the thread looks all the time, during a run between processes, workers only where they search
};

/// How arguments come to another place of the same process.
/// Errors: config_error for another name in TACTUS_LOCAL_COPY or `--tactus-local-copy`.
/// \snippet reference.cpp config
/// \ingroup running
enum class copying : std::uint8_t {
  automatic,  ///< as construct has it; in builds with assertions as serialize has it
  serialize,  ///< as bytes, as they would come to another machine
  construct,  ///< by their copy and move constructors
};

/// How a runtime is configured. Fields keep their order; designated initialisers are the way to write one. Each field but env has a
/// variable and a flag that go before it: TACTUS_STACK_BYTES=1M, `--tactus-stack-bytes=1M`; `--tactus-help` lists them.
/// Errors: config_error where a runtime is made with a value that is not allowed; the text says what is.
/// \snippet reference.cpp config
/// \ingroup running
struct config {
  int threads = 0;  ///< workers of each place; 0: usable cores (affinity mask and cgroup quota, rounded up) / places
  int places = 1;   ///< places in this process, each with workers of its own; under mpirun the number of its processes
  spawn_policy policy = spawn_policy::adaptive;         ///< for every async that does not say otherwise
  placement_policy placement = placement_policy::none;  ///< for every place_flexible task
  /// What each task can rely on of its stack, whatever waits below it there; the root task has 8 MiB. A stack takes a
  /// power of two of address space, 512 KiB for these 256: a guard of 64 KiB, and room for tasks on top of ones that
  /// wait, come on top. Memory is used as far as it is touched. A condition of a when and a combine function run on the
  /// stack of whoever ends a block or comes last: they have some 8 KiB.
  std::size_t stack_bytes = 256 * 1024;
  binding bind = binding::none;  ///< whether workers stay on their processors, or on those of their node of memory
  bool stats = false;            ///< the table of counters to stderr at the end of each run, by the first process
  std::string trace{};           ///< a file for the timeline, for Perfetto or chrome://tracing; empty: none is kept
  double watchdog_seconds = 0;  ///< print what workers do and tasks wait for when nothing happens for so long; 0: never
  /// Non-zero: the seeded scheduler, `threads` virtual workers on one OS thread, 64 at most; 0 threads are then 4 / places, and at least one.
  /// Another task may go on at any operation then, also at one that never suspends else: with a std::mutex held across one the run may hang for ever.
  std::uint64_t seed = 0;
  bool env = true;  ///< TACTUS_* variables and `--tactus-*` flags override the fields, flag before variable
  /// Resident memory at which new stacks are refused with resource_error; 0: what the process has already when the runtime
  /// is made, and three quarters of what is available then.
  std::size_t memory_bytes = 0;
  message_progress progress = message_progress::hybrid;  ///< who handles messages while workers compute
  copying local_copy = copying::automatic;               ///< how arguments come to a place of this process
  /// How many bytes of tasks may be under way from one place to another, or lie there and wait, before the sender waits, which are 4,096
  /// tasks at most; 0: 1 MiB, and less where there are more than 256 places.
  std::size_t message_bytes = 0;
  placement_tuning tuning{};  ///< of `placement`; its variables begin with TACTUS_PLACEMENT_
  /// Which tasks are place_flexible: "": as written; "none": none of them; "all": each async_at, for experiments, since it may change
  /// what a program means; else the name of a file that says so of sites (docs/placement-labels.md).
  std::string labels{};
  /// A file for what the sites of async_at did, of one process, for `tactus labels` and `tactus simulate`; empty: none is kept.
  std::string profile{};
  /// Of several processes: seconds after which one of which nothing is heard during a run ends the job; 0: only the launcher notices.
  double peer_timeout = 0;
};

}  // namespace tactus
