// SPDX-License-Identifier: Apache-2.0
// The scheduler of one place: its workers, what they share, and the one blocking primitive, suspend().
#pragma once

#include <tactus/base/config.hpp>
#include <tactus/deque/mailbox.hpp>
#include <tactus/scheduler/shared_queue.hpp>
#include <tactus/scheduler/victims.hpp>
#include <tactus/scheduler/worker.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tactus::detail {

class seeded_order;

class scheduler {
public:
  /// Starts the workers but the first, which is the thread that calls run_root(). `options` is resolved.
  explicit scheduler(const config& options);

  /// No run may be active. Joins the workers.
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// Runs body(argument) as the root strand; the calling thread is worker 0 until it returns. body waits for its tasks itself.
  void run_root(void (*body)(void*), void* argument);

  /// Text of the deadlock found during the last run; empty if there was none.
  [[nodiscard]] const std::string& deadlock_text() const noexcept { return deadlock_text_; }
  [[nodiscard]] bool deadlocked() const noexcept {
    return deadlocked_.load(memory_order_acquire);
  }  // pairs with resolve_deadlock()

  /// Time during which a run was active, and processor time of the process over the same stretch.
  [[nodiscard]] std::chrono::nanoseconds wall() const noexcept { return wall_; }
  [[nodiscard]] std::chrono::nanoseconds cpu() const noexcept { return cpu_; }

  [[nodiscard]] const config& options() const noexcept { return options_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(workers_.size()); }
  [[nodiscard]] worker& at(int i) noexcept { return *workers_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] stack_pool& stacks() noexcept { return stacks_; }
  [[nodiscard]] idle_set& idle() noexcept { return idle_; }
  [[nodiscard]] seeded_order* seeded() noexcept { return seeded_.get(); }

  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }

  /// A barrier that begin() has not been called for. std::bad_alloc.
  barrier* take_barrier();
  void put_barrier(barrier* b) noexcept;

  /// Calls f(barrier&) for every one there ever was. Only while no worker runs.
  template <class F>
  void for_each_barrier(F&& f) {
    for (const auto& b : barriers_) {
      f(*b);
    }
  }

  /// Makes a strand ready from a thread that is no worker of this scheduler.
  void send(strand* s) noexcept;

  // ---- by its workers (loop.cpp) ----

  /// The next thing to run on w; none when w is to leave for its native stack.
  entry next_work(worker* w);

  /// Asks each worker what it does; the answers go to stderr. Async-signal-safe. Only while a run is active.
  void ask_all() noexcept;
  void answered(const worker& w) noexcept;

  /// Tasks of the policy work_sharing: what work-stealing.txt compares work stealing with (section 2).
  [[nodiscard]] shared_queue& shared() noexcept { return shared_; }

  [[nodiscard]] worker* worker_number(std::size_t i) noexcept { return workers_[i].get(); }

  /// Whether there is a queued task that w takes before it looks for others' work.
  [[nodiscard]] bool has_queued(const worker* w) const noexcept {
    return !w->invited.looks_empty() || !shared_.looks_empty();
  }

  /// The control block of the stack that `address` lies on.
  [[nodiscard]] fiber_stack* stack_of(void* address) noexcept;

  /// Whether there is anything that some worker could run or go on with.
  [[nodiscard]] bool work_in_sight() const noexcept;

  /// Moves what foreign threads made ready to w's deque; returns whether there was any.
  bool take_inbox(worker* w) noexcept;

  /// The root strand has ended: worker 0 leaves.
  void finish_run() noexcept;

private:
  friend class seeded_order;

  void thread_main(worker* w);
  void stop_threads() noexcept;
  void serve(worker* w);  // runs the loop on a pooled stack until leave_requested()
  void enter_root(worker* w, void (*body)(void*), void* argument);
  [[nodiscard]] bool leave_requested(const worker* w) const noexcept;
  entry search(worker* w);
  void let_the_victim_alone(worker* w) const noexcept;
  entry try_steal(worker* w, bool patient);
  entry try_steal_from(worker* w, worker* victim, bool patient);
  queued_task* take_queued(worker* w) noexcept;
  void arrange_victims();
  strand* steal_released(worker* w, worker* victim) noexcept;
  void pause_between_looks(worker* w, int round) const noexcept;
  [[nodiscard]] bool stuck_possible() const noexcept;
  void park(worker* w);
  void resolve_deadlock(worker* w);  // deadlock.cpp
  struct waiting;
  [[nodiscard]] waiting find_waiting();
  [[nodiscard]] std::string waiting_text();
  bool list_waiting_if_all_sleep() noexcept;  // hang.cpp
  bool one_less() noexcept;
  [[nodiscard]] std::uint64_t progress() const noexcept;
  void watch();

  const config options_;
  const bool oversubscribed_;  // more workers than processors
  stack_pool stacks_;
  task_depot depot_;
  idle_set idle_;
  mailbox<strand> inbox_;
  shared_queue shared_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<victims> victims_;  // of each worker, or one for all
  std::unique_ptr<seeded_order> seeded_;
  std::mutex barriers_mutex_;  // protects the two below
  std::vector<std::unique_ptr<barrier>> barriers_;
  std::vector<barrier*> free_barriers_;  // has room for all
  fiber_stack* root_stack_ = nullptr;
  atomic<bool> stopping_{false};    // set by the destructor
  atomic<bool> run_active_{false};  // set by run_root, cleared by finish_run
  atomic<bool> deadlocked_{false};  // set by the worker that finds it, with everybody else idle
  std::string deadlock_text_;
  std::chrono::nanoseconds wall_{0};     // written between runs
  std::chrono::nanoseconds cpu_{0};      // likewise
  atomic<std::uint32_t> unanswered_{0};  // workers that were asked what they do
  atomic<std::uint32_t> asleep_{0};      // of those that have answered
  std::mutex watchdog_mutex_;            // protects the next
  bool watchdog_ends_ = false;
  std::condition_variable watchdog_wake_;
  std::vector<std::thread> threads_;
  std::thread watchdog_;
};

/// The handler of SIGUSR1, unless the program has one: asks the active run. Any thread.
void handle_hang_signal();

/// ask_all() of the run that is active, or a line that there is none. Async-signal-safe.
void ask_active_scheduler() noexcept;

/// Parks the calling task at `point` until make_ready(); the worker goes on with something else. If point.commit says that
/// the condition holds already, the task goes on as well, perhaps on another worker. Throws resource_error when a stack is
/// needed and refused, then nothing has happened, and deadlock_error when the program is stuck.
void suspend(wait_point& point);

/// The same for a wait that cannot be given up: exceeds the memory limit, and does not take part in deadlocks.
void suspend_for_finish(wait_point& point);

/// Makes the task that waits at `point` ready, at its home. Any thread; `w` is the calling worker, null on a thread that is none.
/// The point may be gone afterwards. Not inside a foreign_visit.
void make_ready(worker* w, wait_point& point) noexcept;
void make_ready(wait_point& point) noexcept;

/// Puts a strand of this scheduler into the deque of `w`, the calling worker.
void go_on_here(worker* w, strand* s) noexcept;

/// Parks the calling task at `point`, which the caller takes part in deadlocks for. Arrivals that the worker keeps stay kept: what
/// it runs next decides.
void park_here(worker* w, wait_point& point, stack_pool::at_limit mode);

/// A member that has ended at the bottom of a stack, on which `on_stack` lies, makes place for the next strand of the block that its
/// barrier has released. Returns if there is none, or if something else has to come first.
void leave_for_next_of_block(worker* w, const void* on_stack);

/// Hands over what is left of the loop shares that the calling task is an element of: it is about to wait.
void hand_over_loop_rests(worker* w);

/// Lets what is ready on this worker go first.
void yield_now();

/// The same, without a look beyond this worker.
void let_ready_work_go_first(worker* w);

/// The same, also when nothing seems to be ready here: the throttled spawner of the adaptive policy.
void go_behind_ready_work();

/// The loop at the bottom of every stack. Never returns: it leaves for a continuation or for the thread's native stack.
[[noreturn]] void scheduler_loop(worker* w, stack_top own, entry e);

/// Promises that foreign threads may still set: while there are any, a program that waits is not stuck.
extern atomic<std::int64_t> g_external_unset;

/// One of them is gone, and its waiters were made ready before: the runtime that is running, if any, looks again whether it is
/// stuck. Any thread.
void external_promise_done() noexcept;

/// Held by a foreign thread while it makes strands ready: a scheduler does not go away under it.
class foreign_visit {
public:
  foreign_visit();
  ~foreign_visit();
  foreign_visit(const foreign_visit&) = delete;
  foreign_visit& operator=(const foreign_visit&) = delete;
};

/// Names the worker of the calling thread.
void set_this_worker(worker* w) noexcept;

/// The worker of the calling thread, also while it is hidden; null outside tasks.
worker* any_worker() noexcept;

/// The same; throws usage_error, which names the call, outside tasks.
worker* any_worker_for(const char* call);

/// Why current_worker() is null although a task runs.
enum class hidden_because : std::uint8_t { in_block, in_condition, in_step, in_combine };

/// Hides `w`, the worker of the calling thread, and shows it again; a step of lockstep around it stays one.
void hide_worker(worker* w, hidden_because why) noexcept;
void show_worker() noexcept;

/// While it lives, the calling task has no worker as far as operations can see: whatever spawns, waits or signals finds itself on
/// its error path, at no cost for everybody else.
class hidden_worker {
public:
  explicit hidden_worker(hidden_because why) noexcept;
  ~hidden_worker();
  hidden_worker(const hidden_worker&) = delete;
  hidden_worker& operator=(const hidden_worker&) = delete;

private:
  bool was_hidden_;
  hidden_because was_because_;
};

/// While it lives, a hidden worker is shown again, for what the library itself does: wait for a lock, say. Goes with the task.
class shown_worker {
public:
  shown_worker() noexcept;
  ~shown_worker();
  shown_worker(const shown_worker&) = delete;
  shown_worker& operator=(const shown_worker&) = delete;

private:
  bool was_hidden_;
  hidden_because was_because_;
};

/// Whether the calling task is inside a step of lockstep, and in no atomic block there.
[[nodiscard]] bool in_step() noexcept;

/// Whether the calling thread asks the condition of a when.
[[nodiscard]] bool in_condition() noexcept;

/// Names the scheduler that external_promise_done() wakes; null when a run ends.
void set_active_scheduler(scheduler* s);

/// The one run of this process: throws usage_error where it may not begin (inside a task, beside another, in a forked child).
class run_guard {
public:
  run_guard();
  ~run_guard();
  run_guard(const run_guard&) = delete;
  run_guard& operator=(const run_guard&) = delete;
};

}  // namespace tactus::detail
