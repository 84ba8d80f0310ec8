// SPDX-License-Identifier: Apache-2.0
// Hooks that earlier rooms call and the trace room answers. They know nothing of each other but these names.
#pragma once

#include <tactus/base/config.hpp>
#include <tactus/base/impl/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tactus::detail {

class flexible_call;
class run_control;
struct profiled_spawn;
struct traced_task;
struct wait_point;
struct worker;

/// A runtime was made, will be destroyed, or has ended a run whose config asks for the table of counters.
void runtime_starts(run_control& r);
void runtime_ends(run_control& r) noexcept;
void report_stats(run_control& r);

/// A run of several processes has ended, in this one too: they tell each other what they have counted. Waits for them.
void gather_stats(run_control& r);

/// A run has ended, of a config with a profile.
void write_profile(run_control& r);

/// Whether what happens to tasks is noted: for a timeline, for a profile.
[[nodiscard]] inline bool notes_tasks(const config& options) noexcept {
  return !options.trace.empty() || !options.profile.empty();
}

/// What happens to tasks, where that is noted. Called only where worker::timeline is set.
[[nodiscard]] std::uint64_t trace_spawn(worker* w) noexcept;  ///< by the running task; returns the child's number
[[nodiscard]] std::uint64_t trace_visit(worker* w) noexcept;  ///< the same of the body of an at() at another place
void trace_begin(worker* w, traced_task& task) noexcept;
void trace_end(worker* w, const traced_task& task) noexcept;
void trace_stop(worker* w, const wait_point& point) noexcept;
void trace_wake(worker* w, const wait_point& point) noexcept;  ///< on this worker the wait has come to its end
void trace_go_on(worker* w) noexcept;                          ///< the running task, on this worker
void trace_steal(worker* w, const worker* victim, std::size_t entries) noexcept;
void trace_result(worker* w, std::uint64_t body) noexcept;  ///< the running task has what that body of an at() returns

/// A task that may move leaves the place that `of` is a worker of for another one, or has come there. Any thread.
void trace_departure(worker* of, const flexible_call& task, int to) noexcept;
void trace_arrival(worker* of, const flexible_call& task, int from) noexcept;
void trace_phase(worker* w, bool of_clock, std::uint64_t key, std::uint64_t phase) noexcept;

/// The same, for a profile alone; all by the running task.
[[nodiscard]] std::uint64_t profile_share(
    worker* w) noexcept;  ///< spawns a share of a loop: its number; 0: there is no profile
void profile_not_spawned(worker* w,
                         std::uint64_t number) noexcept;  ///< the spawn of the child with this number, or 0, has thrown
void profile_not_visited(worker* w, std::uint64_t number) noexcept;  ///< the same of the body of an at()
void profile_site(worker* w, const profiled_spawn* next) noexcept;   ///< the next child is of a site; null: of none
void profile_access(worker* w, int uses) noexcept;  ///< reaches another place so often; or does not count
void profile_use(worker* w) noexcept;               ///< uses what is bound to its place
void profile_values(worker* w, std::size_t brought, std::size_t result) noexcept;

/// A closure's type as people write it, from what label_of() in task_body.hpp says of it: where its lambda stands, or in which
/// function and as the how many-th. Only where neither is known, two closures may be called the same.
[[nodiscard]] std::string closure_in(const char* made_from);

}  // namespace tactus::detail
