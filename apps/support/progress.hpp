// SPDX-License-Identifier: Apache-2.0
// A progress line on stderr for work that takes longer than a second.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace apps {

enum class progress_style : std::uint8_t {
  silent,     ///< nothing is shown and no thread is started
  rewriting,  ///< one line that is written over, for a terminal
  lines,      ///< a new line every second, for a file or a pipe
};

/// rewriting when stderr is a terminal, else lines when `asked`, else silent.
progress_style progress_style_for_stderr(bool asked);

/// One stage of work, from construction to destruction. After the first second a thread of its own shows what is
/// being done, how far it is and for how long; the work itself only stores a number. The line is taken away, or closed,
/// at the end. Make it before a time measurement starts, because it may start a thread. What cannot be shown, on a stderr that takes
/// nothing for example, does not stop the work.
class progress_stage {
public:
  /// Progress is what done() was told last, out of `total`; 0: the total is not known.
  progress_stage(progress_style style, std::string what, std::uint64_t total);

  /// Progress is what `fraction` returns, between 0 and 1. It is called on the stage's thread, and may be an estimate:
  /// what is shown never goes back, and 100 % is not shown before the end.
  progress_stage(progress_style style, std::string what, std::function<double()> fraction);

  ~progress_stage();
  progress_stage(const progress_stage&) = delete;
  progress_stage& operator=(const progress_stage&) = delete;

  void done(std::uint64_t amount) noexcept {
    done_.store(amount, std::memory_order_relaxed);  // relaxed: a number to show, orders nothing
  }

private:
  void begin_to_show();
  void show_until(const std::stop_token& stop);
  [[nodiscard]] std::string text();

  progress_style style_;
  std::string what_;
  std::uint64_t total_;
  std::function<double()> fraction_;
  double furthest_ = 0;                  // what was shown: an estimate that falls back must not. By the stage's thread
  std::atomic<std::uint64_t> done_ = 0;  // written by the work, read by the stage's thread
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace apps
