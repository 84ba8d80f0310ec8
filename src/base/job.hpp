// SPDX-License-Identifier: Apache-2.0
// The processes that a launcher has started together, as this one sees them. What joins them is linked in beside the library, or is not.
// docs/protocols/processes.md.
#pragma once

#include <tactus/base/impl/launch.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tactus::detail {

class engine;
class run_control;

/// They, joined for one runtime. Each process makes its runtimes in the same order.
class job {
public:
  job() = default;
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  virtual ~job() = default;

  /// Tells rank `to` what its hear() returns there; while no engine runs. Waits.
  virtual void tell(int to, std::span<const std::byte> what) = 0;

  /// Waits for what rank `from` tells; `doing` says for what, to whoever looks at a program that waits for long.
  virtual std::vector<std::byte> hear(int from, const char* doing) = 0;

  /// All of them have been told that their runtime cannot be made: nobody waits for it.
  virtual void is_given_up() noexcept {}

  /// So many that follow each other reach each other faster than the rest, as they share a machine; 1: none do. By all of them. Waits.
  virtual int near_group() { return 1; }

  /// What carries frames between them during runs.
  virtual std::unique_ptr<engine> make_engine(run_control& run) = 0;
};

/// What joins processes.
struct joiner {
  launch (*who)(const communicator* processes);     ///< null: all of them; config_error, usage_error
  std::unique_ptr<job> (*join)(const launch& who);  ///< config_error
};

/// That of this program, from now on; by whoever brings it, before main.
void install(const joiner& j) noexcept;

/// That, or null.
[[nodiscard]] const joiner* installed_joiner() noexcept;

/// Whether TACTUS_MPI=off says that this process is to run alone, whatever launcher has started it. config_error for another value.
[[nodiscard]] bool is_to_run_alone();

/// Which process this is, of `processes`, or, where that is null, of all that a launcher has started. Where a launcher has started several, and nothing in this program joins them, says so, once. config_error.
[[nodiscard]] launch this_launch(const communicator* processes);

/// Null where it is alone.
[[nodiscard]] std::unique_ptr<job> join(const launch& who);

}  // namespace tactus::detail
