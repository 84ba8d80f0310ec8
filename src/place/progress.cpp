// SPDX-License-Identifier: Apache-2.0
#include "place/progress.hpp"

#include "place/engine.hpp"
#include "place/place_node.hpp"
#include "scheduler/futex.hpp"
#include "scheduler/run_control.hpp"

#include <chrono>

#include <pthread.h>
#include <sched.h>

namespace tactus::detail {

progress_thread::progress_thread(run_control& run, std::chrono::nanoseconds pause) : run_(run), pause_(pause) {
  tasks_.attach(&run.depot(), &counters_);
}

void progress_thread::start() {
  thread_ = std::thread([this] { serve(); });
}

void progress_thread::stop() noexcept {
  if (thread_.joinable()) {
    ends_.store(true, memory_order_release);  // release: pairs with the load in serve()
    wanted_.store(1, memory_order_release);   // release: after it
    futex_wake(wanted_);
    sleeps();
    thread_.join();
  }
}

void progress_thread::want() noexcept {
  // relaxed: who sees that it is wanted knows that it looks later; the exchange orders the message before that look
  if (wanted_.load(memory_order_relaxed) == 0 && wanted_.exchange(1, memory_order_acq_rel) == 0) {
    futex_wake(wanted_);
  }
}

void progress_thread::sleeps() noexcept {
  if (asleep_.exchange(1, memory_order_acq_rel) == 0) {  // acq_rel: as want(); after ends_
    futex_wake(asleep_);
  }
}

void progress_thread::serve() {
  ::pthread_setname_np(::pthread_self(), "tactus-progress");
  if (far_ != nullptr) {
    serve_far(*far_);
    return;
  }
  while (!ends_.load(memory_order_acquire)) {  // acquire: pairs with stop()
    if (wanted_.load(memory_order_acquire) == 0) {
      futex_wait(wanted_, 0);
      continue;
    }
    nap(pause_);
    wanted_.store(0, memory_order_seq_cst);  // before the look: a message that it misses wants it again
    if (look()) {
      want();
    }
  }
}

// Workers that are awake look for themselves, and while this thread waited for its processor, in a look of its own, they would wait for it;
// who sleeps is woken by what this thread finds. Each time that it wakes it may take a processor from a worker: so it does that more and more
// seldom while workers look, and where it has found nothing for a while. A worker that goes to sleep wakes it.
void progress_thread::serve_far(engine& carrier) {
  const bool looks_always = run_.options().progress == message_progress::thread;
  thread_pace pace(std::chrono::steady_clock::now());
  while (!ends_.load(memory_order_acquire)) {                                     // acquire: pairs with stop()
    const bool somebody_sleeps = asleep_.exchange(0, memory_order_acq_rel) != 0;  // acq_rel: pairs with sleeps()
    const bool is_in_run = run_.is_running();
    if (looks_always && is_in_run) {
      const bool came = carrier.poll(nullptr);
      if (!look() && !came) {
        ::sched_yield();  // without the lock, so that others get it
      }
      continue;
    }
    bool came = false;
    if (pace.is_to_look(std::chrono::steady_clock::now(), carrier.looks(), somebody_sleeps)) {
      constexpr int k_looks_in_a_row = 16;  // while something comes: what it has waits for no pause
      for (int i = 0; i < k_looks_in_a_row && carrier.poll(nullptr); ++i) {
        came = true;
      }
    }
    came = look() || came;
    futex_wait_for(asleep_, 0, pace.pause(std::chrono::steady_clock::now(), came, what_workers_do(is_in_run)));
  }
}

thread_pace::workers progress_thread::what_workers_do(bool is_in_run) noexcept {
  idle_set& idle = run_.home().idle();
  if (is_in_run && !idle.has_sleepers()) {
    return thread_pace::workers::compute;
  }
  bool all_sleep = !is_in_run;
  idle.if_all_asleep([&all_sleep] { all_sleep = true; });
  return all_sleep ? thread_pace::workers::rest : thread_pace::workers::some_sleep;
}

// Returns whether something was there: then more may come.
bool progress_thread::look() noexcept {
  bool any = false;
  for (const auto& p : run_.places()) {
    place_node& node = place_node::of(*p);
    node.send_inquiries(nullptr);
    any = node.look_after_trains(nullptr) || any;
    any = node.take_for_busy(nullptr) || any;
    any = node.come_by_for_placement(nullptr) || any;
  }
  return any;
}

}  // namespace tactus::detail
