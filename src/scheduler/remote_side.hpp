// SPDX-License-Identifier: Apache-2.0
// What a place is to the other places of its run. The room place answers; this room knows no more of it.
#pragma once

#include <tactus/wire/impl/archives.hpp>

#include "scheduler/work_sources.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace tactus::detail {

class run_control;
class scheduler;
struct failure;

/// What a run leaves.
struct run_outcome {
  std::exception_ptr failure;           // what it throws; null: nothing
  std::vector<std::byte> result;        // of its body, if that travels
  byte_order order = byte_order::same;  // in which it was written
};

/// Messages come in through it, as from outside. Its steps are those of docs/protocols/remote_finish.md and quiescence.md.
class remote_side : public outside_source {
public:
  virtual ~remote_side() = default;

  /// What this place keeps of a finish that is at home elsewhere was handed in as {0, 0}: if it still is, it goes, and its home
  /// hears of it. `w` is a worker of this place.
  virtual void part_is_idle(worker* w, std::uint64_t key) noexcept = 0;

  /// By `w`, a worker of this place, which has just announced itself as asleep: if no other one is awake and nothing is in sight, the
  /// ledger of the run hears of it.
  virtual void falls_asleep(worker* w) noexcept = 0;

  /// Whether `w`, a worker of this place that has announced itself, looks for messages also while it sleeps, by the next one, since nobody
  /// else would: what comes wakes it, or another. Then wakes_up().
  [[nodiscard]] virtual bool looks_asleep(const worker* w) noexcept = 0;
  virtual void look_asleep(worker* w) noexcept = 0;

  /// By a task of this place: makes the task that waits at `point` ready, at another place of this process, by a message.
  virtual void wake_elsewhere(wait_point& point) noexcept = 0;

  /// Whether other places are of other processes: what comes from there is not in sight before somebody has polled.
  [[nodiscard]] virtual bool is_far() const noexcept = 0;

  /// What escaped in the calling task, from where texts say, on its way to the home of its finish. Runs user code. Without memory for
  /// it the process ends.
  virtual failure* pack(const std::exception_ptr& escaped, std::string from) noexcept = 0;

  /// Before the next one, and before anything says that there is a run. config_error, usage_error.
  virtual void check_that_a_run_may_begin() const = 0;

  /// A run begins at this place, by a thread from outside, which is `w` from now on. Where there are other processes, waits for them.
  virtual void run_begins(worker* w) = 0;

  /// By the root task of a process that is not the first one: waits for the end of the run there, and returns what that says. Suspends;
  /// throws what making objects of that does, then.
  [[nodiscard]] virtual run_outcome wait_for_end_of_run() = 0;

  /// By the first process, when all tasks of the run have ended: tells the others, which wait for it. Without memory for it the process ends.
  virtual void end_run(const run_outcome& outcome) noexcept = 0;

  /// By a process that is not the first one, when it has heard that.
  virtual void leave_run() noexcept = 0;

  /// By the thread that calls run, in the first process: its root task is about to begin; has ended, with all others.
  virtual void run_is_under_way() noexcept = 0;
  virtual void run_is_over() noexcept = 0;

  /// A worker of this place has nothing to do; has found something, or leaves; has looked everywhere and is about to sleep.
  virtual void search_begins(worker* w) noexcept = 0;
  virtual void search_ends(worker* w) noexcept = 0;
  virtual void is_about_to_park(worker* w) noexcept = 0;

  /// By any thread, during a run: the other processes are to report, too, if this is the first one.
  virtual void ask_others() noexcept = 0;

  /// Starts what threads it has besides the workers: before these. resource_error.
  virtual void start_threads() = 0;

  /// Ends them, when all workers of the run have ended.
  virtual void stop_threads() noexcept = 0;

  /// Takes messages of other places too, which compute: those that need no worker of theirs. By a worker of this place that has
  /// nothing to do; returns whether there were any.
  virtual bool help_others(worker* w) noexcept = 0;

  /// A worker of this place, which has looked for work, has found some and leaves messages lying: somebody else is to take them.
  virtual void leaves_messages() noexcept = 0;

  /// Messages that have left this place and were not taken, for reports: a line for each place that they go to.
  [[nodiscard]] virtual std::string messages_text() const = 0;

  /// As poll(), by a worker of this place that has work of its own: what is dear to look at it may leave for later, and it may say, in
  /// worker::rounds_to_look, when that worker is to ask again.
  virtual bool poll_between_tasks(worker* w) noexcept = 0;

  /// By a worker of this place that looks_asleep() has chosen: it has been woken.
  virtual void wakes_up() noexcept = 0;
};

/// Whether that place is to write bytes as a machine of the other byte order: in tests only.
[[nodiscard]] bool plays_other_order(int place) noexcept;

/// Null where the run has one place only. After all schedulers of the run were made, before their workers start.
[[nodiscard]] std::unique_ptr<remote_side> make_remote_side(scheduler& here);

}  // namespace tactus::detail
