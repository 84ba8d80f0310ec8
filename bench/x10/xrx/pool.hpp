// SPDX-License-Identifier: Apache-2.0
// The threads of the X10 model: a thread for each blocked activity and, beside those, as many running as asked for.
//
// States of a thread (uclocks.txt, figure 3): executing, idle, spare, blocked, pending (only in bounded schemes).
// IT idle and ET executing threads are counted; a woken thread counts as executing from the unpark on.
//
//     blocks      ET - 1; then a pending thread is unparked, or, if ET + IT < threads, a spare one, or a new one begins
//     is woken    unbounded: ET + 1, whatever it is; idle threads become spare while ET + IT > threads
//                 bounded:   an idle thread becomes spare and ET + 1, or without one the woken thread is pending
//     finds no    a pending thread exists: becomes spare, unparks that one; ET + IT > threads: becomes spare;
//     activity    otherwise: idle
//     spawns      an idle thread gets the activity, or without one the spawner's deque
//
// So ET + IT = threads in a bounded scheme, equation (1) of the paper, and ET can reach the number of activities in an
// unbounded one. An activity is never forgotten in a deque: its spawner is executing, and who stops executing either
// is replaced, or leaves at least `threads` others, or sees under the pool's lock that no activity is queued.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "x10/xrx/scheme.hpp"

namespace bench::xrx {

class clock_state;
class finish_state;
class pool;

/// A thread could not be made: every blocking operation throws it until the run is over.
class stopped : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The same because the run was beyond its cap.
class over_cap : public stopped {
public:
  using stopped::stopped;
};

/// One activity on one clock.
struct registration {
  std::shared_ptr<clock_state> clock;
  std::int64_t phase;
  bool resumed;
};

/// What async made: code, the finish that counts it, the clocks it is registered on.
class activity {
public:
  explicit activity(finish_state& f) : finish(&f) {}
  virtual ~activity() = default;
  activity(const activity&) = delete;
  activity& operator=(const activity&) = delete;

  virtual void body() = 0;

  finish_state* finish;
  std::vector<registration> clocks;
};

/// A thread of the pool with its deque.
class worker {
public:
  worker(pool& p, std::size_t index) : owner(p), random_(index + 1) {}

  /// Returns once for any number of unparks since the last return; like the original, on mutex and condition variable.
  void park();
  void unpark();

  void push(std::unique_ptr<activity> a);
  std::unique_ptr<activity> pop();    // the newest
  std::unique_ptr<activity> steal();  // the oldest

  std::size_t random(std::size_t below);

  pool& owner;
  activity* current = nullptr;
  bool retires = false;                // own thread: it stands in the list of spare threads and has to park
  std::unique_ptr<activity> assigned;  // written under the pool's lock before the unpark
  std::atomic<int> credit{1};          // written under the pool's lock: 0 parked, 1 executing, 2 woken before it parked

private:
  std::mutex park_mutex_;
  std::condition_variable permitted_;
  bool permit_ = false;

  std::mutex deque_mutex_;
  std::deque<std::unique_ptr<activity>> deque_;
  std::atomic<std::size_t> size_{0};  // lets thieves pass by an empty deque without its lock
  std::uint64_t random_;
};

/// The counters while they grow. All are relaxed: they order nothing and are read when the run is over.
struct live_counts {
  std::atomic<std::uint64_t> activities{0};
  std::atomic<std::uint64_t> advances{0};
  std::atomic<std::uint64_t> clock_waits{0};
  std::atomic<std::uint64_t> clock_wakeups{0};
  std::atomic<std::uint64_t> clock_wakeups_by_atomic{0};
  std::atomic<std::uint64_t> clock_vain{0};
  std::atomic<std::uint64_t> when_wakeups{0};
  std::atomic<std::uint64_t> when_wakeups_by_clock{0};
  std::atomic<std::uint64_t> when_vain{0};
};

inline void bump(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

enum class waits_at { clock, when };

/// A blocked activity in the list of its lock.
struct waiter {
  worker* thread;
  waits_at place;
};

class pool {
public:
  /// Starts `threads` threads (X10_NTHREADS), all idle.
  pool(int threads, scheme s);
  ~pool();
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  /// Executes body as the root activity and waits for all that it spawned; rethrows the first exception of any.
  /// After cap_seconds everything that waits is woken with over_cap, which then comes out here, and the pool is
  /// of no further use: another run throws the same. From outside the pool, one run at a time.
  void run(const std::function<void()>& body, double cap_seconds);

  [[nodiscard]] scheme kind() const { return scheme_; }
  [[nodiscard]] int threads() const { return static_cast<int>(threads_); }
  [[nodiscard]] counts counted() const;
  void reset_counts();

  /// The pool's thread that calls; throws std::logic_error in any other thread.
  static worker& current();

  // For the constructs (xrx.cpp), in threads of the pool.

  void execute(std::unique_ptr<activity> a);

  /// The caller is enlisted where it will be woken and parks next: somebody else may run.
  void about_to_park(worker& w);
  /// Unparks the waiting, or makes some of them pending; empties the list, whose lock the caller holds. `by` is what the
  /// caller does: an operation on a clock, or an atomic block or when of the program.
  void wake_all(std::vector<waiter>& waiting, waits_at by);
  /// The caller ended the last activity of the finish at which `w` is parked.
  void hand_over(worker& self, worker& w);
  /// `w` returned from park because of stop(): nobody else has to wake it any more.
  void woken_by_stop(worker& w);

  void throw_if_stopped() const;
  [[nodiscard]] bool is_stopped() const { return stopped_.load(); }

  live_counts counters;

  // The place's atomic blocks: amLock and its list.
  std::mutex am_lock;
  std::vector<waiter> am_waiting;

private:
  static constexpr std::size_t k_most_threads = 4096;

  void start_thread_counted();
  void work(worker& self);
  std::unique_ptr<activity> next_activity(worker& self);
  std::unique_ptr<activity> steal(worker& self);
  bool spare_because_too_many(worker& self);
  bool rests(worker& self);
  void park_until_chosen(worker& self);
  void execute_now(worker& self, std::unique_ptr<activity> a);
  enum class reason { cap, threads };
  void stop(reason r, const std::string& why);

  // Under mutex_.
  void counts_as_executing_locked(worker& w);
  void idle_becomes_spare_locked();
  bool replace_parked_locked();

  const scheme scheme_;
  const std::size_t threads_;

  mutable std::mutex mutex_;
  std::size_t executing_ = 0;
  std::size_t most_executing_ = 0;
  std::vector<worker*> idle_;
  std::vector<worker*> spare_;
  std::deque<worker*> pending_;
  std::atomic<bool> quits_{false};

  std::atomic<std::size_t> idle_seen_{0};  // size of idle_, so that a spawner need not take the lock when it is 0
  std::atomic<std::size_t> queued_{0};     // activities in deques

  std::array<std::atomic<worker*>, k_most_threads> workers_{};
  std::atomic<std::size_t> size_{0};
  std::mutex system_threads_mutex_;
  std::vector<unsigned long> system_threads_;  // pthread_t

  std::atomic<bool> stopped_{false};
  mutable std::mutex why_mutex_;
  reason reason_ = reason::cap;
  std::string why_;
};

}  // namespace bench::xrx
