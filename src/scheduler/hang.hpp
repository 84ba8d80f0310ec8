// SPDX-License-Identifier: Apache-2.0
// The hang report of a run, and who asks for it: SIGUSR1 and the watchdog. docs/protocols/hang.md.
#pragma once

#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <thread>

namespace tactus::detail {

class run_control;
struct worker;

/// Has SIGUSR1 answered by a thread of its own from now on, unless the program has another use for the signal (it handles it, or has it
/// blocked in the calling thread), or no thread can be had for it. Decided once, at the first runtime.
void handle_hang_signal();

/// Has that thread report, whether or not the signal is ours. By any thread, of which the report says what it does.
void ask_for_report() noexcept;

/// While it lives, SIGUSR1 does not interrupt what the calling thread waits for.
class hang_signal_blocked {
public:
  hang_signal_blocked() noexcept;
  ~hang_signal_blocked();
  hang_signal_blocked(const hang_signal_blocked&) = delete;
  hang_signal_blocked& operator=(const hang_signal_blocked&) = delete;

private:
  bool was_open_ = false;
};

/// By the only thread of a forked child, which may have been a worker.
void open_hang_signal_in_child() noexcept;

/// Says on stderr what each worker of an active run does, and which tasks wait for what. Inside a foreign_visit; not by a worker.
void report_hang(run_control& run) noexcept;

/// Reports by itself when nothing has happened for some time.
class watchdog {
public:
  explicit watchdog(run_control& run) noexcept : run_(run) {}

  /// Watches from now on, if the options say so. std::system_error.
  void start();
  void stop() noexcept;

private:
  [[nodiscard]] std::uint64_t progress() const noexcept;
  void watch();

  run_control& run_;
  std::mutex mutex_;  // protects the next
  bool ends_ = false;
  std::condition_variable wake_;
  std::thread thread_;
};

}  // namespace tactus::detail
