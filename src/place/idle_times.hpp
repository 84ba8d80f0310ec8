// SPDX-License-Identifier: Apache-2.0
// How long the workers of a place had nothing to do: the time from the begin of a search to its end.
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tactus::detail {

class idle_times {
public:
  explicit idle_times(int workers)
      : workers_(static_cast<std::size_t>(workers)), each_(std::make_unique<of_worker[]>(workers_)) {}

  /// By the worker of that number.
  void begins(int worker) noexcept {
    each_[static_cast<std::size_t>(worker)].since.store(now(), memory_order_relaxed);  // relaxed: a time, as all here
  }
  void ends(int worker) noexcept {
    of_worker& one = each_[static_cast<std::size_t>(worker)];
    const std::int64_t since = one.since.exchange(0, memory_order_relaxed);
    one.before.store(one.before.load(memory_order_relaxed) + now() - since, memory_order_relaxed);
  }

  /// By who begins and ends runs.
  void run_begins() noexcept { at_begin_ = all(); }
  void run_ends() noexcept {
    in_runs_.store(in_runs_.load(memory_order_relaxed) + all() - at_begin_, memory_order_relaxed);
  }

  /// Of all workers, in runs that are over. Any thread.
  [[nodiscard]] std::chrono::nanoseconds in_runs() const noexcept {
    return std::chrono::nanoseconds(in_runs_.load(memory_order_relaxed));
  }

private:
  struct of_worker {
    atomic<std::int64_t> before{0};  // in searches that are over
    atomic<std::int64_t> since{0};   // when this one began; 0: there is none
  };

  static std::int64_t now() noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  [[nodiscard]] std::int64_t all() const noexcept {
    const std::int64_t at = now();
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < workers_; ++i) {
      const std::int64_t since = each_[i].since.load(memory_order_relaxed);
      sum += each_[i].before.load(memory_order_relaxed) + (since == 0 ? 0 : at - since);
    }
    return sum;
  }

  const std::size_t workers_;
  const std::unique_ptr<of_worker[]> each_;
  std::int64_t at_begin_ = 0;
  atomic<std::int64_t> in_runs_{0};
};

}  // namespace tactus::detail
