// SPDX-License-Identifier: Apache-2.0
// A thread that takes messages for places whose workers all compute. docs/protocols/messages.md.
#pragma once

#include <tactus/base/counters.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/scheduler/impl/queued_task.hpp>

#include "place/thread_pace.hpp"

#include <chrono>
#include <cstdint>
#include <thread>

namespace tactus::detail {

class engine;
class run_control;

/// One for a process, where there are several places. It sleeps until somebody sends a message to a place without a sleeper, and then for
/// a moment, in which the place may take it itself.
class progress_thread {
public:
  /// Of the places of `run`; looks again after so long.
  progress_thread(run_control& run, std::chrono::nanoseconds pause);
  progress_thread(const progress_thread&) = delete;
  progress_thread& operator=(const progress_thread&) = delete;

  /// std::system_error.
  void start();
  void stop() noexcept;

  /// Messages come from other processes, through this: nobody here says when. Before it starts.
  void looks_far(engine& carrier) noexcept { far_ = &carrier; }

  /// A message lies at a place whose workers are all awake. Any thread.
  void want() noexcept;

  /// Messages come from other processes, and a worker that has looked for them sleeps now. Any thread.
  void sleeps() noexcept;

  /// By the thread itself: a message has been taken.
  void recycle(queued_task* m) noexcept { tasks_.put(m); }
  [[nodiscard]] queued_task* descriptor() noexcept { return tasks_.take_or_end(); }

private:
  void serve();
  void serve_far(engine& carrier);
  bool look() noexcept;
  [[nodiscard]] thread_pace::workers what_workers_do(bool is_in_run) noexcept;

  run_control& run_;
  const std::chrono::nanoseconds pause_;
  live_worker_counters counters_;  // of the cache, which counts there
  task_cache tasks_;
  atomic<std::uint32_t> wanted_{0};  // a futex
  atomic<std::uint32_t> asleep_{0};  // a futex: a worker sleeps since the last look for what comes from other processes
  atomic<bool> ends_{false};
  engine* far_ = nullptr;
  std::thread thread_;
};

}  // namespace tactus::detail
