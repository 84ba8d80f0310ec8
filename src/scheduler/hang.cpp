// SPDX-License-Identifier: Apache-2.0
// The hang report: what each worker does now and, where all of them sleep, which tasks wait for what. Made when SIGUSR1 asks for it, or
// by the watchdog when nothing has happened for long. It changes nothing: the program goes on.
//
// A signal may have interrupted anything, so what a worker tells about itself is told without the heap and without locks. Only where
// every worker sleeps, which is a place without either, the last one to answer lists the tasks.

#include "scheduler/hang.hpp"

#include <tactus/scheduler/scheduler.hpp>

#include "base/signal_text.hpp"
#include "scheduler/process.hpp"
#include "scheduler/run_control.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

namespace tactus::detail {
namespace {

constexpr int k_signal = SIGUSR1;
constexpr int k_tell = 0x7ac705;  // what comes with the signal that asks one worker

atomic<bool> g_handled{false};  // the signal is ours

void tell(worker& w) noexcept {
  signal_text text;
  text << "tactus: worker " << static_cast<std::size_t>(w.id);
  if (w.sleeps.load(memory_order_relaxed)) {  // relaxed: of this thread
    text << " sleeps\n";
  } else if (const task_frame* const task = w.task; task == nullptr) {
    text << " is between tasks\n";
  } else if (const char* const name = task->name(); name != nullptr) {
    text << " runs task '" << name << "'\n";
  } else {
    text << " runs an unnamed task\n";
  }
  text.write();
  w.owner->run().hang_answer(w);
}

void on_signal(int, siginfo_t* info, void*) {
  const int before = errno;
  worker* const w = this_worker_out_of_line();
  if (info->si_code == SI_QUEUE && info->si_value.sival_int == k_tell) {
    if (w != nullptr) {
      tell(*w);
    }
  } else {
    ask_active_runs();
  }
  errno = before;
}

// Calls f() while every worker of every place sleeps, and none can be woken; false if that is not so.
bool if_all_asleep(std::span<const std::unique_ptr<scheduler>> places, const std::function<void()>& f) {
  if (places.empty()) {
    f();
    return true;
  }
  bool called = false;
  places.front()->idle().if_all_asleep([&] { called = if_all_asleep(places.subspan(1), f); });
  return called;
}

}  // namespace

void handle_hang_signal() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction now{};
    if (::sigaction(k_signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) {
      return;  // the program has another use for it
    }
    struct sigaction ours{};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    g_handled.store(::sigaction(k_signal, &ours, nullptr) == 0, memory_order_relaxed);  // relaxed: a plain fact
  });
}

// Async-signal-safe.
void hang_report::ask_all() noexcept {
  const std::vector<worker*>& workers = run_.workers();
  std::uint32_t nobody = 0;
  if (run_.options().seed != 0 || !g_handled.load(memory_order_relaxed) ||  // relaxed: as above
      // acq_rel: one round at a time
      !unanswered_.compare_exchange_strong(nobody, static_cast<std::uint32_t>(workers.size()), memory_order_acq_rel,
                                           memory_order_relaxed)) {
    return;
  }
  asleep_.store(0, memory_order_relaxed);  // relaxed: published by the signals
  signal_text text;
  text << "tactus: what " << workers.size() << (workers.size() == 1 ? " worker does" : " workers do") << " now:\n";
  text.write();
  sigval with{};
  with.sival_int = k_tell;
  for (worker* const w : workers) {
    // acquire: its thread is known; one that has just been created may not have run yet, and would not answer
    if (!w->listens.load(memory_order_acquire) || ::pthread_sigqueue(w->thread, k_signal, with) != 0) {
      static_cast<void>(one_less());
    }
  }
}

// Async-signal-safe unless all sleep.
void hang_report::answered(const worker& w) noexcept {
  // relaxed: of this thread, and published by the next line
  asleep_.fetch_add(w.sleeps.load(memory_order_relaxed) ? 1U : 0U, memory_order_relaxed);
  if (!one_less()) {
    return;
  }
  if (asleep_.load(memory_order_relaxed) != run_.workers().size()) {  // relaxed: as said
    signal_text text;
    text << "tactus: who waits for what can be told only while all workers sleep\n";
    text.write();
  } else {
    list_waiting_if_all_sleep();
  }
}

// True for the last one. An answer to a run that is over counts nothing.
bool hang_report::one_less() noexcept {
  std::uint32_t left = unanswered_.load(memory_order_relaxed);  // relaxed: checked by the exchange
  do {
    if (left == 0) {
      return false;
    }
    // acq_rel: the last one to answer sees what the others have said
  } while (!unanswered_.compare_exchange_weak(left, left - 1, memory_order_acq_rel, memory_order_relaxed));
  return left == 1;
}

bool hang_report::list_waiting_if_all_sleep() noexcept {
  return if_all_asleep(run_.places(), [this] {
    const std::string text = run_.waiting_text() + '\n';
    [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, text.data(), text.size());
  });
}

// ---- the watchdog ----

// Changes whenever a worker gets on.
std::uint64_t hang_report::progress() const noexcept {
  std::uint64_t sum = 0;
  for (const worker* w : run_.workers()) {
    const live_worker_counters& c = w->counters;
    sum += c.tasks_run.value() + c.tasks_run_inline.value() + c.spawned_work_first.value() +
           c.spawned_help_first.value() + c.spawned_shared.value() + c.spawned_invited.value() + c.suspensions.value() +
           c.resumptions.value() + c.finishes.value();
  }
  return sum;
}

void hang_report::start_watchdog() {
  if (run_.options().watchdog_seconds > 0) {
    watchdog_ = std::thread([this] { watch(); });
  }
}

void hang_report::stop_watchdog() noexcept {
  if (watchdog_.joinable()) {
    {
      const std::lock_guard hold(mutex_);
      ends_ = true;
    }
    wake_.notify_one();
    watchdog_.join();
  }
}

void hang_report::watch() {
  ::pthread_setname_np(::pthread_self(), "tactus-watchdog");
  std::uint64_t before = progress();
  bool told = false;
  std::unique_lock hold(mutex_);
  while (
      !wake_.wait_for(hold, std::chrono::duration<double>(run_.options().watchdog_seconds), [this] { return ends_; })) {
    const std::uint64_t now = progress();
    if (now != std::exchange(before, now) || !run_.is_active()) {
      told = false;
      continue;
    }
    if (std::exchange(told, true)) {
      continue;
    }
    const foreign_visit nobody_reaches_in;
    signal_text text;
    text << "tactus: no task has begun, ended, stopped or gone on for "
         << static_cast<std::size_t>(run_.options().watchdog_seconds * 1000) << " ms\n";
    text.write();
    if (!list_waiting_if_all_sleep()) {
      ask_all();
    }
  }
}

}  // namespace tactus::detail
