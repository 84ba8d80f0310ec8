// SPDX-License-Identifier: Apache-2.0
// Hooks that earlier rooms call and the trace room answers. They know nothing of each other but these names.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

class run_control;
struct traced_task;
struct wait_point;
struct worker;

/// A runtime was made, will be destroyed, or has ended a run whose config asks for the table of counters.
void runtime_starts(run_control& r);
void runtime_ends(run_control& r) noexcept;
void report_stats(run_control& r);

/// What happens to tasks, for the timeline. Called only where worker::timeline is set.
[[nodiscard]] std::uint64_t trace_spawn(worker* w) noexcept;  ///< by the running task; returns the child's number
void trace_begin(worker* w, traced_task& task);
void trace_end(worker* w, const traced_task& task) noexcept;
void trace_stop(worker* w, const wait_point& point);
void trace_wake(worker* w, const wait_point& point) noexcept;  ///< on this worker the wait has come to its end
void trace_go_on(worker* w);                                   ///< the running task, on this worker
void trace_steal(worker* w, int victim, std::size_t entries) noexcept;
void trace_phase(worker* w, bool of_clock, std::uint64_t key, std::uint64_t phase) noexcept;

}  // namespace tactus::detail
