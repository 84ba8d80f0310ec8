// SPDX-License-Identifier: Apache-2.0
// What there is once per process: the runs that are active, foreign threads that reach into them, and forked children.

#include "scheduler/process.hpp"

#include <tactus/base/error.hpp>
#include <tactus/scheduler/impl/may_begin.hpp>

#include "base/never_destroyed.hpp"
#include "base/signal_text.hpp"
#include "scheduler/debugger.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include <pthread.h>

namespace tactus::detail {
namespace {

// Never destroyed: a runtime may be static, and one may be made while others of the program's objects are being destroyed.
struct active_runs {
  std::recursive_mutex foreign;  // held by whoever reaches into a run from outside; protects the list
  std::vector<run_control*> list;
  std::size_t runtimes = 0;  // there are now; the list has room for a run of each
};

active_runs& runs() noexcept {
  static never_destroyed<active_runs> all;
  return all.get();
}

atomic<bool> g_forked{false};  // set in a forked child, which then has no workers

void in_child() {
  g_forked.store(true, memory_order_relaxed);  // relaxed: a forked child has one thread
  if (any_worker() != nullptr) {
    open_hang_signal_in_child();
  }
  set_this_worker(nullptr);
}

// Runs share the processors: each is told how many workers there are in all.
void share_processors(const std::vector<run_control*>& all) noexcept {
  std::size_t workers = 0;
  for (const run_control* r : all) {
    workers += r->workers().size();
  }
  for (run_control* r : all) {
    r->share_processors_with(workers);
  }
}

}  // namespace

TACTUS_NOINLINE void set_this_worker(worker* w) noexcept {
  tactus_this_worker = w;
  asm volatile("" ::: "memory");  // not merged with another access across a switch
}

void watch_for_fork() {
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, in_child); });
}

void check_that_a_run_may_begin() {
  if (g_forked.load(memory_order_relaxed)) {  // relaxed: as in in_child()
    throw usage_error("tactus::run was called in a forked child, which has no workers; call exec or _exit there");
  }
  if (any_worker() != nullptr) {
    if (current_worker() == nullptr) {
      throw_outside_task("run");
    }
    throw usage_error("tactus::run was called inside a task; use tactus::finish there");
  }
}

room_for_active_run::room_for_active_run() {
  active_runs& all = runs();
  const std::lock_guard lock(all.foreign);
  all.list.reserve(all.runtimes + 1);
  ++all.runtimes;
}

room_for_active_run::~room_for_active_run() {
  active_runs& all = runs();
  const std::lock_guard lock(all.foreign);
  --all.runtimes;
}

void list_active_run(run_control& run) noexcept {
  active_runs& all = runs();
  const std::lock_guard lock(all.foreign);
  all.list.push_back(&run);  // there is room for the run of every runtime
  show_debuggers(all.list);
  share_processors(all.list);
}

void unlist_active_run(run_control& run) noexcept {
  active_runs& all = runs();
  const std::lock_guard lock(all.foreign);
  std::erase(all.list, &run);
  share_processors(all.list);
}

void report_active_runs() noexcept {
  active_runs& all = runs();
  const std::lock_guard lock(all.foreign);
  for (run_control* r : all.list) {
    report_hang(*r);
  }
  if (all.list.empty()) {
    signal_text text;
    text << "tactus: no run is active\n";
    text.write();
  }
}

void look_again_at(const run_control* run) noexcept {
  for (run_control* r : runs().list) {
    if (run == nullptr || r == run) {
      r->look_again();
    }
  }
}

bool visit_from_outside::begin(std::uint64_t home_number) noexcept {
  const worker* const w = any_worker();
  if (w != nullptr && w->owner->home_number() == home_number) {
    return false;
  }
  runs().foreign.lock();
  return true;
}

void visit_from_outside::end() noexcept { runs().foreign.unlock(); }

foreign_visit::foreign_visit() { runs().foreign.lock(); }
foreign_visit::~foreign_visit() { runs().foreign.unlock(); }

}  // namespace tactus::detail
