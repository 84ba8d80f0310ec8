// SPDX-License-Identifier: Apache-2.0

#include "scheduler/hang.hpp"

#include "scheduler/report_gate.hpp"
#include "scheduler/scheduler.hpp"

#include "base/signal_text.hpp"
#include "scheduler/futex.hpp"
#include "scheduler/process.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/running_task.hpp"

#include <cerrno>
#include <chrono>
#include <climits>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

namespace tactus::detail {

// ---- the gate ----

bool report_gate::raise() noexcept {
  g_up.store(1, memory_order_relaxed);  // relaxed: the fence follows
  if (fence_all_processors()) {
    return true;
  }
  lower();
  return false;
}

void report_gate::lower() noexcept {
  g_up.store(0, memory_order_release);  // release: what was read; pairs with pass()
  ::syscall(SYS_futex, &g_up, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void report_gate::wait() noexcept {
  while (g_up.load(memory_order_acquire) != 0) {  // acquire: as in pass()
    futex_wait(g_up, 1);
  }
}

// ---- the signal ----

namespace {

constexpr int k_signal = SIGUSR1;

atomic<bool> g_handled{false};  // the signal is ours
sem_t g_asked;                  // posted by the handler

void on_signal(int) {
  const int before = errno;
  ::sem_post(&g_asked);
  errno = before;
}

void* answer(void*) {
  ::pthread_setname_np(::pthread_self(), "tactus-report");
  for (;;) {
    if (::sem_wait(&g_asked) == 0) {
      report_active_runs();
    }
  }
}

// A thread that takes this signal, if that is ours, and no other. False: there is none to be had.
bool start_answering(bool takes_signal) noexcept {
  constexpr std::size_t k_stack = std::size_t{256} << 10;
  sigset_t others;
  sigset_t before;
  sigfillset(&others);
  if (takes_signal) {
    sigdelset(&others, k_signal);
  }
  pthread_attr_t attributes;
  if (::sem_init(&g_asked, 0, 0) != 0 || ::pthread_attr_init(&attributes) != 0) {
    return false;
  }
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_attr_setstacksize(&attributes, k_stack);
  ::pthread_sigmask(SIG_SETMASK, &others, &before);  // which the thread inherits
  pthread_t thread;
  const bool started = ::pthread_create(&thread, &attributes, answer, nullptr) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  return started;
}

bool change_mask(int how, sigset_t* before) noexcept {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, k_signal);
  return ::pthread_sigmask(how, &only, before) == 0;
}

// Whether the program handles it, or has blocked it, as for signalfd and sigwait it must: a thread of ours in which it is open would
// take it from them. A worker, which blocks it for ourselves, is none before it is handled.
bool has_another_use() noexcept {
  struct sigaction now{};
  sigset_t blocked;
  return ::sigaction(k_signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL ||
         ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked) != 0 || sigismember(&blocked, k_signal) != 0;
}

}  // namespace

namespace {

// The thread that answers is there, once; false: there is none to be had. The first call says whether it takes the signal, too.
bool is_answering(bool takes_signal) noexcept {
  static const bool started = start_answering(takes_signal);
  return started;
}

}  // namespace

void ask_for_report() noexcept {
  if (is_answering(
          false)) {  // then the first runtime has found another use of the signal: no thread of ours may take it
    ::sem_post(&g_asked);
  }
}

void handle_hang_signal() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (has_another_use() || !is_answering(true)) {
      return;
    }
    struct sigaction ours{};
    ours.sa_handler = on_signal;
    ours.sa_flags = SA_ONSTACK | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    g_handled.store(::sigaction(k_signal, &ours, nullptr) == 0, memory_order_relaxed);  // relaxed: a plain fact
  });
}

hang_signal_blocked::hang_signal_blocked() noexcept {
  sigset_t before;
  if (g_handled.load(memory_order_relaxed) && change_mask(SIG_BLOCK, &before)) {  // relaxed: as above
    was_open_ = sigismember(&before, k_signal) == 0;
  }
}

hang_signal_blocked::~hang_signal_blocked() {
  if (was_open_) {
    change_mask(SIG_UNBLOCK, nullptr);
  }
}

void open_hang_signal_in_child() noexcept {
  if (g_handled.load(memory_order_relaxed)) {  // relaxed: as above
    change_mask(SIG_UNBLOCK, nullptr);
  }
}

// ---- the report ----

namespace {

// Of one that has others beside it.
std::string of_process(const run_control& run) {
  return run.processes() == nullptr ? std::string() : " at place " + std::to_string(run.home().place());
}

std::string what_workers_do(const run_control& run) {
  const std::vector<worker*>& workers = run.workers();
  std::string text = "tactus: what " + std::to_string(workers.size()) + (workers.size() == 1 ? " worker" : " workers") +
                     of_process(run) + (workers.size() == 1 ? " does now:\n" : " do now:\n");
  for (const worker* w : workers) {
    text += "tactus: worker " + std::to_string(w->seat) + ' ' + what_it_does(*w) + '\n';
  }
  return text;
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

std::string who_waits(run_control& run) {
  std::string text;
  if (if_all_asleep(run.places(), [&] { text = "tactus: " + run.waiting_text(moment::at_rest); })) {
    return text;
  }
  if (!report_gate::raise()) {
    return "tactus: who waits for what can be told only while all workers sleep";
  }
  try {
    text = "tactus: a snapshot, while workers run: " + run.waiting_text(moment::snapshot);
  } catch (...) {
    report_gate::lower();
    throw;
  }
  report_gate::lower();
  return text;
}

}  // namespace

void report_hang(run_control& run) noexcept {
  try {
    std::string text = what_workers_do(run) + who_waits(run) + '\n';
    for (const auto& place : run.places()) {
      if (remote_side* const others = place->remote(); others != nullptr) {
        text += others->messages_text();
        others->ask_others();
      }
    }
    [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, text.data(), text.size());
  } catch (...) {
    signal_text text;
    text << "tactus: there is no memory for a report\n";
    text.write();
  }
}

// ---- the watchdog ----

void watchdog::start() {
  if (run_.options().watchdog_seconds > 0) {
    thread_ = std::thread([this] { watch(); });
  }
}

void watchdog::stop() noexcept {
  if (thread_.joinable()) {
    {
      const std::lock_guard hold(mutex_);
      ends_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
}

// Changes whenever a worker gets on.
std::uint64_t watchdog::progress() const noexcept {
  std::uint64_t sum = 0;
  for (const worker* w : run_.workers()) {
    sum += progress_of(*w);
  }
  return sum;
}

void watchdog::watch() {
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
    report_hang(run_);
  }
}

}  // namespace tactus::detail
