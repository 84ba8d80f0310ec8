// SPDX-License-Identifier: Apache-2.0
// From what a program wrote into its config, TACTUS_* variables and --tactus-* flags to the settings of one runtime.
//
//   field          variable              flag                        value
//   threads        TACTUS_THREADS        --tactus-threads=4          0 to 1024, of each place; 0: all usable cores / places
//   places         TACTUS_PLACES         --tactus-places=4           1 to 1024
//   policy         TACTUS_POLICY         --tactus-policy=work_first  adaptive, work_first, help_first, work_sharing
//   stack_bytes    TACTUS_STACK_BYTES    --tactus-stack-bytes=64K    16 KiB to 1 GiB, rounded up to whole pages
//   bind           TACTUS_BIND           --tactus-bind=core          none, core, numa
//   stats          TACTUS_STATS          --tactus-stats              0, 1, true, false; the bare flag is 1
//   trace          TACTUS_TRACE          --tactus-trace=FILE         a file for the timeline
//   watchdog_seconds  TACTUS_WATCHDOG_SECONDS  --tactus-watchdog-seconds=60  0.01 to 1000000; 0: no watchdog
//   seed           TACTUS_SEED           --tactus-seed=7             any 64-bit number; 0: not seeded
//   memory_bytes   TACTUS_MEMORY_BYTES   --tactus-memory-bytes=2G    1 MiB or more; 0: what is resident, and 3/4 of what is available
//   progress       TACTUS_PROGRESS       --tactus-progress=worker    hybrid, worker, thread
//   local_copy     TACTUS_LOCAL_COPY     --tactus-local-copy=serialize  automatic, serialize, construct
//   message_bytes  TACTUS_MESSAGE_BYTES  --tactus-message-bytes=64K  256 to 1 GiB; 0: one that fits the places
//   placement      TACTUS_PLACEMENT      --tactus-placement=hybrid   a placement_policy; placement_failed_steals to placement_guard: of `tuning`
//   labels         TACTUS_LABELS         --tactus-labels=FILE        none, all, a file of labels
//   profile        TACTUS_PROFILE        --tactus-profile=FILE       a file for the profile of spawns
//   peer_timeout   TACTUS_PEER_TIMEOUT   --tactus-peer-timeout=10    0.1 to 1000000 seconds; 0: none
//
// - Sizes are plain bytes or a number with K, M or G, also KiB, MiB, GiB, in either case: powers of 1024.
// - A variable that is empty counts as unset. TACTUS_ROOT, _DIR, _HOME, _PREFIX, _VERSION, _INC and _LIB are left to
//   module systems and CMake. A name that is nearly one of ours is an error, any other one is told of once and ignored.
//   An unknown flag is an error.
// - --tactus-help lists the flags and ends the program.
// - A flag goes before its variable, a variable before the field; of equal flags the last one counts. All of them are
//   checked, also those that do not count.
// - The value of a flag follows its '='. `--tactus-threads 4` is refused: a word alone might be the program's own.
// - Flags are looked for up to an argument "--", which stays, as does everything after it. argv[0] is never a flag.
// - With a seed, threads counts virtual workers: at most 64 at a place, and 0 stands for 4 / places, not for the cores of
//   the machine, so that a seed means the same run everywhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/base/config.hpp>
#include <tactus/base/impl/cpus.hpp>
#include <tactus/base/impl/launch.hpp>

namespace tactus::detail {

inline constexpr int k_most_threads = 1024;  // of a place
inline constexpr int k_most_places = 1024;
inline constexpr int k_most_workers = 32768;  // of a process: a finish counts them in 16 bits
inline constexpr int k_most_virtual_workers = 64;
inline constexpr int k_default_virtual_workers = 4;

struct resolved_options {
  /// Of the processes that run together, which this one is. Where there are others, each has one of the places.
  launch process;

  /// Valid and final: threads and memory_bytes are never 0, stack_bytes is a multiple of the page.
  config values;

  /// The arguments without the flags, as pointers to the caller's strings, then a null pointer: a new argv.
  std::vector<char*> arguments;

  /// TACTUS_* variables that are nobody's as far as we know, fit to be printed.
  std::vector<std::string> ignored_variables;

  [[nodiscard]] int argc() const noexcept { return static_cast<int>(arguments.size()) - 1; }
};

/// Resolves `given` against `environment` (as ::environ: "NAME=value", ends with a null pointer; may be null), the
/// arguments and the machine. The caller's array is not changed. With given.env false, neither variables nor flags are
/// looked at and all arguments stay.
/// Throws config_error for a bad field, variable or flag, for an unknown --tactus-* name and for a TACTUS_* name that
/// nearly is one of ours. --tactus-help is taken out and does nothing.
[[nodiscard]] resolved_options resolve_options(const config& given, int argc, char* const* argv,
                                               const char* const* environment, const machine_limits& machine,
                                               const launch& process = {});

/// Whether the flags, if they are looked at, ask for help_text().
[[nodiscard]] bool asks_for_help(const config& given, int argc, char* const* argv) noexcept;

/// The flags, with what is allowed for each.
[[nodiscard]] std::string help_text();

/// The same against the environment and the limits of this process. Where the flags ask for help, prints it to stdout
/// and ends the program; a variable that is ignored is named on stderr, once in a process.
/// `processes`: those that run together, this one among them; null: all that a launcher has started.
[[nodiscard]] resolved_options resolve_options(const config& given, int argc = 0, char* const* argv = nullptr,
                                               const communicator* processes = nullptr);

/// "adaptive", "work_first", "help_first", "work_sharing"; and back.
[[nodiscard]] std::string_view policy_name(spawn_policy policy) noexcept;
[[nodiscard]] std::optional<spawn_policy> policy_named(std::string_view name) noexcept;

}  // namespace tactus::detail
