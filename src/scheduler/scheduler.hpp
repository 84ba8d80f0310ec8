// SPDX-License-Identifier: Apache-2.0
// The scheduler of one place: its workers and what they share.
#pragma once

#include <tactus/base/config.hpp>
#include <tactus/deque/impl/mailbox.hpp>
#include <tactus/scheduler/impl/shared_queue.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include <tactus/scheduler/impl/worker.hpp>

#include "scheduler/remote_side.hpp"
#include "scheduler/victims.hpp"
#include "scheduler/work_sources.hpp"

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tactus::detail {

class atomic_domain;
class run_control;
class seeded_order;

/// The lock of atomic and when, one for each place: made, and destroyed, by the room that knows what it is (sync).
struct domain_end {
  void operator()(atomic_domain* d) const noexcept;
};
[[nodiscard]] std::unique_ptr<atomic_domain, domain_end> make_place_domain();

/// The objects of place_locals, of one place; likewise (place).
class place_object_table;
struct objects_end {
  void operator()(place_object_table* t) const noexcept;
};
[[nodiscard]] std::unique_ptr<place_object_table, objects_end> make_place_objects(int places, int here);
[[nodiscard]] const place_objects* objects_in(const place_object_table& t) noexcept;

/// The teams that a place is a member of; likewise (place).
class team_table;
struct teams_end {
  void operator()(team_table* t) const noexcept;
};
[[nodiscard]] std::unique_ptr<team_table, teams_end> make_team_table();

/// Who looks at spawns at places, of a run whose config asks for that; null: nobody. Likewise (place). config_error.
class spawn_sites;
struct sites_end {
  void operator()(spawn_sites* s) const noexcept;
};
using spawn_sites_ptr = std::unique_ptr<spawn_sites, sites_end>;
[[nodiscard]] spawn_sites_ptr make_spawn_sites(const config& options);

/// At the end of a run: tells what has to be told of them; `place`: of this process, where there are others, else negative.
void sites_at_end_of_run(spawn_sites& s, int place);

/// Which one a scheduler is among those of its run.
struct place_seat {
  int place = 0;
  int first_worker = 0;  ///< the seat of its worker 0
};

/// Of a place in a runtime, and whether two are of one runtime.
inline constexpr unsigned k_place_bits = 16;
constexpr std::uint64_t number_of_home(std::uint64_t runtime, int place) noexcept {
  return runtime << k_place_bits | static_cast<std::uint64_t>(place);
}
constexpr bool are_of_one_runtime(std::uint64_t home, std::uint64_t other) noexcept {
  return home >> k_place_bits == other >> k_place_bits;
}

class scheduler {
public:
  /// Makes the workers, without threads. `options` is resolved.
  scheduler(run_control& run, std::uint64_t home_number, const config& options, place_seat seat);

  /// stop_threads() first.
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// The next run() of worker 0 is by the thread that calls run: it has no thread of its own, and leaves when the run ends.
  void reserve_for_caller() noexcept { callers_ = workers_.front().get(); }

  /// Starts the workers' threads. resource_error, which says which one could not be started; then stop_threads().
  void start_threads();
  void stop_threads() noexcept;

  /// Whether the run is stuck, as resolve_if_stuck() has found: waits in vain throw.
  [[nodiscard]] bool deadlocked() const noexcept {
    return deadlocked_.load(memory_order_acquire);  // acquire: the text; pairs with set_deadlocked()
  }
  void set_deadlocked(bool is) noexcept {
    deadlocked_.store(is, memory_order_release);  // release: see deadlocked()
  }

  [[nodiscard]] run_control& run() const noexcept { return run_; }

  /// Of the place among all places of all runtimes of this process; never 0.
  [[nodiscard]] std::uint64_t home_number() const noexcept { return home_number_; }
  [[nodiscard]] const config& options() const noexcept { return options_; }
  [[nodiscard]] int place() const noexcept { return seat_.place; }

  /// Its objects of place_locals.
  [[nodiscard]] place_object_table* objects() const noexcept { return objects_.get(); }

  /// Its teams.
  [[nodiscard]] team_table* teams() const noexcept { return teams_.get(); }

  /// What other places see of this one; null where there is no other.
  [[nodiscard]] remote_side* remote() const noexcept { return remote_.get(); }
  void set_remote(std::unique_ptr<remote_side> r);

  /// Processors that workers are bound to, by their seats; none where they are not.
  [[nodiscard]] const std::vector<std::vector<int>>& bound_to() const noexcept { return bound_to_; }

  /// The floating-point environment of the run's caller. By whoever has work of the run in hand: the run does not end meanwhile.
  [[nodiscard]] const float_environment& floats() const noexcept { return floats_; }
  void set_floats(const float_environment& of_caller) noexcept { floats_ = of_caller; }

  [[nodiscard]] int size() const noexcept { return static_cast<int>(workers_.size()); }
  [[nodiscard]] worker& at(int i) noexcept { return *workers_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] stack_pool& stacks() noexcept { return stacks_; }
  [[nodiscard]] idle_set& idle() noexcept { return idle_; }
  [[nodiscard]] seeded_order* seeded() noexcept { return seeded_; }
  void set_seeded(seeded_order* order) noexcept { seeded_ = order; }

  /// Whether the active runs of this process have more workers than there are processors.
  [[nodiscard]] bool oversubscribed() const noexcept {
    return oversubscribed_.load(memory_order_relaxed);  // relaxed: a hint
  }
  void set_oversubscribed(bool is) noexcept { oversubscribed_.store(is, memory_order_relaxed); }  // relaxed: as above

  /// Its workers look once and sleep: what they wait for comes when all do. For networks in virtual time.
  void search_once() noexcept { searches_once_.store(true, memory_order_relaxed); }  // relaxed: as above

  /// A barrier that begin() has not been called for. std::bad_alloc.
  barrier* take_barrier();
  void put_barrier(barrier* b) noexcept;

  /// Calls f(barrier&) for each one made so far, free ones included, with the lock of take_barrier() held.
  template <class F>
  void for_each_barrier(F&& f) {
    const std::lock_guard lock(barriers_mutex_);
    for (const auto& b : barriers_) {
      f(*b);
    }
  }

  /// Makes a continuation ready from a thread that is no worker of this scheduler.
  void send(continuation* s) noexcept;

  /// How often send() was called: by who is no worker of this place.
  [[nodiscard]] std::uint64_t sent_by_strangers() const noexcept {
    return sent_by_strangers_.load(memory_order_acquire);  // acquire: as the inbox; pairs with send()
  }

  /// Makes a continuation of this scheduler ready; `w` is the calling worker.
  void go_on(worker* w, continuation* s) noexcept;

  // ---- by its workers (loop.cpp) ----

  /// The next thing to run on w; none when w is to leave for its native stack.
  entry next_work(worker* w);

  /// Tasks of the policy work_sharing: what work-stealing.txt compares work stealing with (section 2).
  [[nodiscard]] shared_queue& shared() noexcept { return shared_; }

  [[nodiscard]] worker* worker_number(std::size_t i) noexcept { return workers_[i].get(); }

  /// Whether one of the sources named (work_sources.hpp) has something for `w`, of this place.
  template <unsigned Sources>
  [[nodiscard]] TACTUS_ALWAYS_INLINE bool has_work(const worker* w) const noexcept {
    return ((Sources & source::block) != 0 && w->deferred.run_next != w->deferred.run_end) ||
           ((Sources & source::released) != 0 && !w->released.looks_empty()) ||
           ((Sources & source::deque) != 0 && !w->deque.looks_empty()) ||
           ((Sources & source::affine) != 0 && !w->affine.looks_empty()) ||
           ((Sources & source::yielded) != 0 && !w->yielded.looks_empty()) ||
           ((Sources & source::shared) != 0 && !shared_.looks_empty()) ||
           ((Sources & source::batch) != 0 && w->open.is_open()) ||
           ((Sources & source::outside) != 0 && outside_in_sight());
  }

  /// One more place where work comes from; as long as the scheduler lives. Before its workers start.
  void add_outside(outside_source& s) { outside_.push_back(&s); }

  /// Whether something may still come from outside although nothing here is running or ready.
  [[nodiscard]] bool may_get_work() const noexcept;

  /// The control block of the stack that `address` lies on.
  [[nodiscard]] fiber_stack* stack_of(void* address) noexcept;

  /// Whether there is anything that some worker could run or go on with.
  [[nodiscard]] bool work_in_sight() const noexcept;

  /// Puts what has come from outside where w finds it; returns whether there was any.
  bool poll_outside(worker* w) noexcept;

  /// The same by a worker that has work of its own, when worker::is_time_to_look_outside() says so.
  bool look_between_tasks(worker* w) noexcept;

  /// Steals for a worker that is busy; what it got lies in w's deque then.
  void bring_from_others(worker* w);

  /// The stack of the root task, which is of this place.
  fiber_stack* make_root_stack();

private:
  friend struct debugger_layout;

  void thread_main(worker* w);
  void serve(worker* w);  // runs the loop on a pooled stack until leave_requested()
  [[nodiscard]] bool leave_requested(const worker* w) const noexcept;
  entry search(worker* w);
  void let_the_victim_alone(worker* w) const noexcept;
  entry try_steal(worker* w, bool patient);
  entry try_steal_from(worker* w, worker* victim, bool patient);
  entry take_own(worker* w);
  bool bring_open_batch(worker* w) noexcept;                               // into the deque of w
  [[nodiscard]] bool open_batch_in_sight(const worker* w) const noexcept;  // of another worker
  [[nodiscard]] bool outside_in_sight() const noexcept;
  void bind_workers();
  continuation* steal_released(worker* w, worker* victim) noexcept;
  [[nodiscard]] bool has_seen_sleep(const worker* w) noexcept;
  void pause_between_looks(worker* w, int round) const noexcept;
  void park(worker* w);
  void sleep_lightly(worker* w) noexcept;

  run_control& run_;
  const std::uint64_t home_number_;
  const config options_;
  const place_seat seat_;
  const std::unique_ptr<atomic_domain, domain_end> domain_;
  const std::unique_ptr<place_object_table, objects_end> objects_;
  const std::unique_ptr<team_table, teams_end> teams_;
  stack_pool stacks_;
  batch_depot batches_;
  idle_set idle_;
  /// Strands that foreign threads, and other places of the process, have made ready.
  class inbox final : public outside_source {
  public:
    explicit inbox(const run_control& run) noexcept : run_(run) {}
    void send(continuation* s) noexcept { strands_.send(s); }
    bool poll(worker* w) noexcept override;
    [[nodiscard]] bool in_sight() const noexcept override { return !strands_.looks_empty(); }
    [[nodiscard]] bool may_come() const noexcept override;

  private:
    friend struct debugger_layout;

    mailbox<continuation> strands_;
    const run_control& run_;
  };

  inbox inbox_;
  atomic<std::uint64_t> sent_by_strangers_{0};
  std::unique_ptr<remote_side> remote_;
  std::vector<outside_source*> outside_;
  shared_queue shared_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<victims> victims_;            // of each worker, or one for all
  std::vector<std::vector<int>> bound_to_;  // none where workers are not bound
  seeded_order* seeded_ = nullptr;          // of the run; null: real workers
  worker* callers_ = nullptr;               // the one without a thread of its own
  std::mutex barriers_mutex_;               // protects the two below
  std::vector<std::unique_ptr<barrier>> barriers_;
  std::vector<barrier*> free_barriers_;  // has room for all
  fiber_stack* root_stack_ = nullptr;
  atomic<bool> stopping_{false};  // set by stop_threads()
  std::vector<std::uint64_t>
      sleeps_seen_;  // of each worker, by itself: how often it had slept, and woken somebody, when it searched last
  atomic<bool> deadlocked_{false};  // set by the worker that finds it, with everybody else idle
  atomic<bool> oversubscribed_{false};
  atomic<bool> searches_once_{false};
  float_environment floats_;  // written between runs
  std::vector<std::thread> threads_;
};

/// The loop at the bottom of every stack. Never returns: it leaves for a continuation or for the thread's native stack.
[[noreturn]] void scheduler_loop(worker* w, stack_top own, entry e);

}  // namespace tactus::detail
