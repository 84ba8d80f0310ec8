// SPDX-License-Identifier: Apache-2.0
// What there is once per process: the run that is active, foreign threads that reach into it, and forked children.

#include <tactus/base/error.hpp>
#include <tactus/scheduler/scheduler.hpp>

#include "base/signal_text.hpp"

#include <mutex>

#include <pthread.h>

namespace tactus::detail {

atomic<std::int64_t> g_external_unset{0};

namespace {

std::mutex g_foreign_mutex;        // held by foreign threads while they touch a scheduler; protects g_active
scheduler* g_active = nullptr;     // of the run that is active
atomic<bool> g_run_active{false};  // taken by run_guard
atomic<bool> g_forked{false};      // set in a forked child, which then has no workers

void in_child() {
  g_forked.store(true, memory_order_relaxed);  // relaxed: a forked child has one thread
  set_this_worker(nullptr);
}

void watch_for_fork() {
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, in_child); });
}

}  // namespace

TACTUS_NOINLINE void set_this_worker(worker* w) noexcept {
  tactus_this_worker = w;
  asm volatile("" ::: "memory");  // not merged with another access across a switch
}

run_guard::run_guard() {
  watch_for_fork();
  if (g_forked.load(memory_order_relaxed)) {  // relaxed: as in in_child()
    throw usage_error("tactus::run was called in a forked child, which has no workers; call exec or _exit there");
  }
  if (any_worker() != nullptr) {
    if (current_worker() == nullptr) {
      throw_outside_task("run");
    }
    throw usage_error("tactus::run was called inside a task; use tactus::finish there");
  }
  if (g_run_active.exchange(true,
                            memory_order_acquire)) {  // acquire: what the last run left; pairs with the release below
    throw usage_error("tactus::run was called while another run is active; only one may be at a time");
  }
}

run_guard::~run_guard() { g_run_active.store(false, memory_order_release); }  // pairs with the acquire above

void set_active_scheduler(scheduler* s) {
  const std::lock_guard lock(g_foreign_mutex);
  g_active = s;
}

void ask_active_scheduler() noexcept {
  signal_text text;
  if (!g_foreign_mutex.try_lock()) {  // perhaps this very thread holds it: a signal handler must not wait
    text << "tactus: a thread is just reaching into the run; ask again\n";
  } else {
    if (g_active != nullptr) {
      g_active->ask_all();
    } else {
      text << "tactus: no run is active\n";
    }
    g_foreign_mutex.unlock();
  }
  text.write();
}

foreign_visit::foreign_visit() { g_foreign_mutex.lock(); }
foreign_visit::~foreign_visit() { g_foreign_mutex.unlock(); }

void external_promise_done() noexcept {
  // seq_cst: after the waiters were sent and before the wake-up; pairs with stuck_possible() (P4)
  if (g_external_unset.fetch_sub(1, memory_order_seq_cst) != 1) {
    return;
  }
  const std::lock_guard lock(g_foreign_mutex);
  if (g_active != nullptr) {
    g_active->idle().wake_one_for_sure();
  }
}

}  // namespace tactus::detail
