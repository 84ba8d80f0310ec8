// SPDX-License-Identifier: Apache-2.0
// A small model of XRX, the runtime of X10 2.6.1, as uclocks.txt describes it, and of the paper's improvements: what
// the figures of that paper compare. It is C++ on the system's threads and shares no code with Tactus.
//
// Modelled: a thread per blocked activity; parking on a mutex and condition variable; the pool's states and counts
// (pool.hpp); a deque with its own lock per thread and stealing from a random first victim; the hand-over of a new
// activity to an idle thread; a lock for each finish, whose body parks; one lock for atomic, when and, in the
// baseline, all clocks (figures 4, 5 and 6), whose every release unparks everybody that waits on it, with that lock
// held; registration by the parent, in the baseline in an atomic block of its own; resume that moves the phase,
// advance, drop, and drop at the end of an activity, as in the X10 2.6 runtime. opt1: figures 8 and 9. opt12:
// figure 10. uclocks: figures 11 and 12, but with the `while` of figure 8, as one barrier may mix both ways.
//
// Left out: places and what `at` costs (copies of objects, also inside one place; engine.hpp can put a part of that
// back); the table in which an X10 activity looks its clocks up (here a short list); the search by which a woken thread
// sees whether it still stands in the list of the lock; nested atomic blocks; work done by a thread while it waits at
// the end of a finish (the paper lets it park); Java's memory and compilation. A deque is locked where the original's is
// lock-free, which is less than the costs left out.
//
// So each operation costs less than in X10, the more the less it has to do with threads; the number of unparks,
// rechecks and thread switches, of which the paper speaks, is what its algorithms make it. X10 was measured at 0.9 ms
// for each advance of LCR with 128 nodes and two threads; the model is meant to be between a fiftieth of that and all
// of it, and the benchmark prints where it is.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "x10/xrx/pool.hpp"

namespace bench::xrx {

/// Misuse of a clock; nothing has changed.
class clock_use_error : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

/// What a finish knows of its activities.
class finish_state {
public:
  void spawned();
  /// Called by the thread that ran the activity; the last one wakes who waits.
  void child_ended(worker& self, std::exception_ptr thrown);
  /// The body has ended: parks the calling activity until the last child has.
  void wait_inside();
  /// Waits for the only child in a thread that is not the pool's; false if that takes longer.
  bool over_within(double seconds);
  void wait_outside();
  /// The first exception, if there was one. Only when all is over.
  void rethrow() const;
  /// An exception of the body itself.
  void threw(std::exception_ptr thrown);

private:
  std::mutex lock_;
  std::condition_variable over_;
  std::uint64_t left_ = 1;  // the body, or the root activity
  worker* waiter_ = nullptr;
  std::exception_ptr first_;
};

/// finish: runs body and waits for every activity spawned in it, transitively; rethrows the first exception.
template <class F>
void finish(F&& body);

/// async: an activity of its own, counted by the innermost finish.
template <class F>
void async(F&& body);

/// A handle; only activities registered on the clock may operate on it, others get clock_use_error.
class clock {
public:
  /// A new clock; the calling activity is registered on it.
  static clock make();

  /// This activity has finished the phase; the last one to do so moves the clock. Repeated in one phase: no effect.
  void resume(wake how = wake::lazy) const;
  /// resume, if that was not done; then waits until all registered activities have resumed.
  void advance(wake how = wake::lazy) const;
  /// The calling activity leaves the clock.
  void drop() const;

  [[nodiscard]] std::int64_t phase() const;  ///< of the calling activity; from 1
  [[nodiscard]] bool is_registered() const;  ///< whether the calling activity is

private:
  friend struct clocked;
  friend void advance_all(wake how);
  explicit clock(std::shared_ptr<clock_state> state) : state_(std::move(state)) {}
  std::shared_ptr<clock_state> state_;
};

/// advanceAll: resumes all clocks of the activity, then waits at each.
void advance_all(wake how = wake::lazy);

/// The clocks on which async registers the child: clocked(c, d). The parent has to be registered on each.
struct clocked {
  template <class... Clocks>
  explicit clocked(const Clocks&... c) : states{c.state_...} {}
  std::vector<std::shared_ptr<clock_state>> states;
};

/// The child is registered in the parent's phase, resumed if the parent has, and dropped when it ends.
template <class F>
void async(const clocked& clocks, F&& body);

/// clocked finish: finish { c = make; try body(c) finally c.drop() }.
template <class F>
void clocked_finish(F&& body);

/// f() in mutual exclusion with all atomic blocks; then whoever waits in a when looks again. Not nested.
template <class F>
void atomic(F&& f);

/// Waits until condition(), which only atomic blocks may make true, and runs f() before anything can change it.
template <class Condition, class F>
void when(const Condition& condition, F&& f);

// --- how

/// Gives up the registrations of an activity that ends.
void drop_all(activity& a);

/// Registers an activity that the caller is about to spawn.
void register_on(activity& child, const clocked& clocks);

/// Parks the calling activity in `waiting`, whose lock is held before and after; throws stopped or over_cap.
void await(std::unique_lock<std::mutex>& held, std::vector<waiter>& waiting, waits_at place);

/// The place's lock; its release wakes all who wait on it. In the baseline also that of all clocks.
class atomic_section {
public:
  explicit atomic_section(waits_at by) : pool_(pool::current().owner), by_(by), held_(pool_.am_lock) {}
  ~atomic_section() { pool_.wake_all(pool_.am_waiting, by_); }
  atomic_section(const atomic_section&) = delete;
  atomic_section& operator=(const atomic_section&) = delete;

  void await(waits_at place) { xrx::await(held_, pool_.am_waiting, place); }

private:
  pool& pool_;
  waits_at by_;
  std::unique_lock<std::mutex> held_;
};

template <class F>
std::unique_ptr<activity> make_activity(finish_state& counting, F&& body) {
  class of_body final : public activity {
  public:
    of_body(finish_state& f, F&& code) : activity(f), code_(std::forward<F>(code)) {}
    void body() override { code_(); }

  private:
    std::decay_t<F> code_;
  };
  return std::make_unique<of_body>(counting, std::forward<F>(body));
}

template <class F>
void finish(F&& body) {
  activity& self = *pool::current().current;
  finish_state state;
  finish_state* const outer = std::exchange(self.finish, &state);
  try {
    std::forward<F>(body)();
  } catch (...) {
    state.threw(std::current_exception());
  }
  state.wait_inside();
  self.finish = outer;
  state.rethrow();
}

template <class F>
void async(F&& body) {
  async(clocked(), std::forward<F>(body));
}

template <class F>
void async(const clocked& clocks, F&& body) {
  worker& self = pool::current();
  self.owner.throw_if_stopped();
  finish_state& counting = *self.current->finish;
  std::unique_ptr<activity> child = make_activity(counting, std::forward<F>(body));
  register_on(*child, clocks);
  counting.spawned();
  self.owner.execute(std::move(child));
}

template <class F>
void clocked_finish(F&& body) {
  finish([&body] {
    const clock c = clock::make();
    try {
      std::forward<F>(body)(c);
    } catch (...) {
      c.drop();
      throw;
    }
    c.drop();
  });
}

template <class F>
void atomic(F&& f) {
  const atomic_section section(waits_at::when);
  std::forward<F>(f)();
}

template <class Condition, class F>
void when(const Condition& condition, F&& f) {
  atomic_section section(waits_at::when);
  while (!condition()) {
    section.await(waits_at::when);
    if (!condition()) bump(pool::current().owner.counters.when_vain);
  }
  std::forward<F>(f)();
}

}  // namespace bench::xrx
