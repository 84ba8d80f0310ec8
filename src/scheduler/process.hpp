// SPDX-License-Identifier: Apache-2.0
// What there is once per process: the runs that are active, foreign threads that reach into them, and forked children.
#pragma once

namespace tactus::detail {

class run_control;

/// Room for the run of one runtime on the list of active ones. std::bad_alloc.
class room_for_active_run {
public:
  room_for_active_run();
  ~room_for_active_run();
  room_for_active_run(const room_for_active_run&) = delete;
  room_for_active_run& operator=(const room_for_active_run&) = delete;
};

/// Lists a run among the active ones: foreign threads may reach into it until it is taken off.
void list_active_run(run_control& run) noexcept;
void unlist_active_run(run_control& run) noexcept;

/// From now on a forked child is known as one, which has no workers. Before the first of them begins.
void watch_for_fork();

/// Calls report_hang() for each active run, or says that there is none.
void report_active_runs() noexcept;

/// Calls look_again() of `run`, if it is active; null: of each active run. Inside a foreign_visit.
void look_again_at(const run_control* run) noexcept;

}  // namespace tactus::detail
