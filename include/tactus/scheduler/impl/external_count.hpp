// SPDX-License-Identifier: Apache-2.0
// Promises that foreign threads may still fulfil: while there are any, a program that waits is not stuck (docs/protocols/parking.md).
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>

#include <cstdint>

namespace tactus::detail {

class run_control;

/// What one run counts, or the process for promises that were made outside of tasks. Lives as long as its run and every promise
/// that is counted here: a promise may be kept beyond its run.
class external_count {
public:
  /// `run` is looked at again when the count falls to 0; null: every active run of the process.
  explicit external_count(run_control* run) noexcept : run_(run) {}
  external_count(const external_count&) = delete;
  external_count& operator=(const external_count&) = delete;

  /// Of the calling task's run; outside of tasks that of the process. Counts one more, which done() takes back.
  TACTUS_API static external_count& counted_by_caller() noexcept;

  /// Of the process.
  static external_count& of_process() noexcept;

  /// A promise is fulfilled, or gone, and its waiters were made ready before. Any thread.
  void done() noexcept;

  /// A task of this run waits for a promise that is counted elsewhere; and no more.
  void wait_begins() noexcept {
    unset_.fetch_add(1, memory_order_relaxed);  // relaxed: by a running task, which keeps its run from being judged
  }
  void wait_ends() noexcept {
    unset_.fetch_sub(1, memory_order_relaxed);  // relaxed: as above
  }

  /// acquire: a promise that is gone has made its waiters visible before; pairs with done() (parking P4)
  [[nodiscard]] bool is_zero() const noexcept { return unset_.load(memory_order_acquire) == 0; }

  /// By its run, which ends.
  void run_ends() noexcept;

private:
  ~external_count() = default;
  void release() noexcept;

  atomic<std::int64_t> unset_{0};
  atomic<std::uint32_t> references_{1};  // the run, and the promises counted here
  run_control* run_;                     // under the lock of foreign_visit
};

}  // namespace tactus::detail
