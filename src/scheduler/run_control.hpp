// SPDX-License-Identifier: Apache-2.0
// What belongs to a run and not to a place: the root task, the times, the verdict that the program is stuck, the watchdog. Over one scheduler or several; a runtime is one of these.
#pragma once

#include <tactus/base/config.hpp>
#include <tactus/base/impl/cpus.hpp>
#include <tactus/scheduler/impl/external_count.hpp>

#include "base/job.hpp"
#include "scheduler/hang.hpp"
#include "scheduler/process.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/seeded.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tactus::detail {

/// When a report is made.
enum class moment : std::uint8_t {
  at_rest,   ///< no worker runs, and none can begin to
  snapshot,  ///< some run, and the report gate is up
};

class run_control {
public:
  /// Makes the schedulers and starts their workers, but for the one that the caller of run_root() will be. `options` is resolved.
  /// Of several processes, `process` says which this one is: it has the place of its rank. Collective then. Throws config_error where
  /// they do not fit together.
  explicit run_control(config options, const launch& process = {});

  /// No run may be active. Joins the workers.
  ~run_control();
  run_control(const run_control&) = delete;
  run_control& operator=(const run_control&) = delete;

  /// Runs body(argument) as the root task; the calling thread is the first worker of the first place until it returns. body waits
  /// for its tasks itself. Throws usage_error if there is a run already, in a task, and in a forked child; then `has_begun` is not set.
  void run_root(void (*body)(void*), void* argument, bool& has_begun);

  /// Number of the run that is under way, or was the last, 1 and up: the same at all processes, which run alike. Any thread.
  [[nodiscard]] std::uint32_t number() const noexcept {
    return number_.load(memory_order_relaxed);  // relaxed: a number that stands for itself
  }

  /// Whether its threads could not be started, and it goes before it was complete: in other processes it may be, or may never come to be. By
  /// who makes and ends it.
  [[nodiscard]] bool is_taken_back() const noexcept { return taken_back_; }

  /// Whether run_root() is under way. Any thread.
  [[nodiscard]] bool is_running() const noexcept {
    return running_.load(memory_order_acquire);  // acquire: what the last run left; pairs with the release of its end
  }

  /// Text of the deadlock found during the last run, if there was one.
  [[nodiscard]] bool deadlocked() const noexcept { return home().deadlocked(); }
  [[nodiscard]] const std::string& deadlock_text() const noexcept { return deadlock_text_; }

  /// Time during which a run was active, and processor time of the process over the same stretch. Any thread.
  [[nodiscard]] std::chrono::nanoseconds wall() const noexcept {
    return wall_.load(memory_order_relaxed);  // relaxed: a number that stands for itself
  }
  [[nodiscard]] std::chrono::nanoseconds cpu() const noexcept {
    return cpu_.load(memory_order_relaxed);  // relaxed: as above
  }

  [[nodiscard]] const config& options() const noexcept { return options_; }

  /// Who looks at spawns at places; null: nobody.
  [[nodiscard]] spawn_sites* sites() const noexcept { return sites_.get(); }

  /// The processes of the run; null where it has this one only.
  [[nodiscard]] job* processes() const noexcept { return job_.get(); }

  /// Where the root task runs; in a process that is not the first one, where that waits for the end of the run.
  [[nodiscard]] scheduler& home() noexcept { return *places_.front(); }
  [[nodiscard]] const scheduler& home() const noexcept { return *places_.front(); }

  /// Of this process.
  [[nodiscard]] const std::vector<std::unique_ptr<scheduler>>& places() const noexcept { return places_; }

  /// Workers of all places, in the order of their seats.
  [[nodiscard]] const std::vector<worker*>& workers() const noexcept { return workers_; }

  [[nodiscard]] external_count& externals() noexcept { return *externals_; }

  /// The finish of the run itself, while it is active; at place 0.
  [[nodiscard]] finish_scope* root_finish() const noexcept { return root_finish_; }
  void set_root_finish(finish_scope* root) noexcept { root_finish_ = root; }

  /// Memory of queued tasks, of all places: one that is sent may end at another.
  [[nodiscard]] task_depot& depot() noexcept { return depot_; }

  /// How many exceptions nobody had looked at outside of workers when this was made: others' runs had them. Written once, before the first run.
  [[nodiscard]] std::uint64_t unseen_before() const noexcept { return unseen_before_; }
  void set_unseen_before(std::uint64_t n) noexcept { unseen_before_ = n; }

  // ---- by its schedulers ----

  /// Whether the root task has not ended.
  [[nodiscard]] bool is_active() const noexcept {
    return active_.load(memory_order_seq_cst);  // pairs with end_of_root(): a worker announces itself and then looks
  }

  /// Whether there is a promise that a foreign thread, or a task of another run, may still fulfil.
  [[nodiscard]] bool has_unset_externals() const noexcept;

  /// Whether nobody outside can make a task of this run ready.
  [[nodiscard]] bool is_on_its_own() const noexcept;

  /// The root task has ended: its worker leaves.
  void end_of_root() noexcept;

  /// By `w`, the only worker of its place that is awake, when nothing there can run: if that holds for all places, no task can
  /// ever go on, and those that wait are told so. Returns false if it does not hold.
  bool resolve_if_stuck(worker* w, std::uint64_t departures);

  /// The same over several places, by who has found that no task of any of them can ever go on, and keeps foreign threads out; `w`
  /// is the calling worker.
  void resolve_deadlock(worker* w) noexcept;  // deadlock.cpp

  /// By who has found that so many tasks of that run can never go on, before they do; a line for each. Nothing where there is another run by
  /// now.
  void set_deadlock_text(std::uint32_t run, std::size_t tasks, const std::string& lines);  // deadlock.cpp

  // ---- by other threads ----

  /// How many tasks wait, and each of them with what it waits for. While no worker runs, or with the report gate raised.
  [[nodiscard]] std::string waiting_text(moment when);  // deadlock.cpp

  /// Something other than work changed: looks again whether the run is stuck.
  void look_again() noexcept;

  /// How many workers all active runs of this process have.
  void share_processors_with(std::size_t workers) noexcept;

private:
  friend struct debugger_layout;

  void start_threads();
  void stop_threads() noexcept;
  void enter_root(worker* w, void (*body)(void*), void* argument);
  void begin_without_verdict() noexcept;
  void try_to_resolve_deadlock(worker* w);  // deadlock.cpp

  const config options_;
  const spawn_sites_ptr sites_ = make_spawn_sites(options_);  // before the processes meet, since it may not be
  const std::unique_ptr<job> job_;
  const room_for_active_run room_;
  const std::size_t processors_;  // that this process may use, and has for itself; 0: less than one
  task_depot depot_;
  std::vector<std::unique_ptr<scheduler>> places_;
  std::vector<worker*> workers_;
  struct leave {
    void operator()(external_count* c) const noexcept { c->run_ends(); }
  };
  const std::unique_ptr<external_count, leave> externals_;
  std::unique_ptr<seeded_order> seeded_;
  fiber_stack* root_stack_ = nullptr;
  finish_scope* root_finish_ = nullptr;  // written by the root task, while there is no other
  atomic<bool> running_{false};          // taken by run_root()
  atomic<bool> active_{false};           // set by run_root(), cleared by end_of_root()
  bool taken_back_ = false;
  atomic<std::uint32_t> number_{0};  // written under verdict_mutex_
  std::mutex verdict_mutex_;         // the text is that of this run
  std::string deadlock_text_;        // written by the worker that finds it, with everybody else idle
  atomic<std::chrono::nanoseconds> wall_{std::chrono::nanoseconds(0)};  // written at the end of a run, as the next
  atomic<std::chrono::nanoseconds> cpu_{std::chrono::nanoseconds(0)};
  watchdog watchdog_{*this};
  std::uint64_t unseen_before_ = 0;
};

}  // namespace tactus::detail
