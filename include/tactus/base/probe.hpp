// SPDX-License-Identifier: Apache-2.0
// Hooks that earlier rooms call and the trace room answers. They know nothing of each other but these names.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

class scheduler;
struct traced_task;
struct wait_point;
struct worker;

/// A scheduler was made, will be destroyed, or has ended a run whose config asks for the table of counters.
void scheduler_starts(scheduler& s);
void scheduler_ends(scheduler& s) noexcept;
void report_stats(scheduler& s);

/// What happens to tasks, for the timeline. Called only where worker::timeline is set.
void trace_begin(worker* w, traced_task& task);
void trace_end(worker* w, const traced_task& task) noexcept;
void trace_stop(worker* w, const wait_point& point);
void trace_go_on(worker* w);  ///< the running task, on this worker
void trace_steal(worker* w, int victim, std::size_t entries) noexcept;
void trace_phase(worker* w, bool of_clock, std::uint64_t key, std::uint64_t phase) noexcept;

}  // namespace tactus::detail
