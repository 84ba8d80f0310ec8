// SPDX-License-Identifier: Apache-2.0
// The hang report of a run, and the watchdog that makes it by itself.
#pragma once

#include <tactus/base/atomic.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace tactus::detail {

class run_control;
struct worker;

/// Handles SIGUSR1, unless the program has another use for it: asks the active runs.
void handle_hang_signal();

class hang_report {
public:
  explicit hang_report(run_control& run) noexcept : run_(run) {}

  void run_begins() noexcept {
    unanswered_.store(0, memory_order_relaxed);  // relaxed: nobody has been asked in this run
  }

  /// Asks each worker what it does. Async-signal-safe.
  void ask_all() noexcept;

  /// By the worker that was asked. Async-signal-safe unless all sleep.
  void answered(const worker& w) noexcept;

  /// Watches from now on, if the options say so. std::system_error.
  void start_watchdog();
  void stop_watchdog() noexcept;

private:
  bool one_less() noexcept;
  bool list_waiting_if_all_sleep() noexcept;
  [[nodiscard]] std::uint64_t progress() const noexcept;
  void watch();

  run_control& run_;
  atomic<std::uint32_t> unanswered_{0};  // workers that were asked what they do
  atomic<std::uint32_t> asleep_{0};      // of those that have answered
  std::mutex mutex_;                     // protects the next
  bool ends_ = false;
  std::condition_variable wake_;
  std::thread watchdog_;
};

}  // namespace tactus::detail
