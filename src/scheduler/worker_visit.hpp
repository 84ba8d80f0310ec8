// SPDX-License-Identifier: Apache-2.0
// A thread as a worker.
#pragma once

#include <tactus/scheduler/impl/worker.hpp>

#include "fiber/overflow.hpp"
#include "scheduler/hang.hpp"

#include <vector>

#include <sched.h>

namespace tactus::detail {

/// Keeps a worker on its processors, and puts the thread back where it was.
class pinned {
public:
  /// `to` is empty where workers are not bound.
  pinned(const std::vector<std::vector<int>>& to, int seat) noexcept;
  ~pinned();
  pinned(const pinned&) = delete;
  pinned& operator=(const pinned&) = delete;

private:
  cpu_set_t before_{};
  bool pinned_ = false;
};

/// While it lives, the calling thread is `w`: bound as the options say, with its stack overflows reported, and listening.
class worker_visit {
public:
  explicit worker_visit(worker* w);
  ~worker_visit();
  worker_visit(const worker_visit&) = delete;
  worker_visit& operator=(const worker_visit&) = delete;

private:
  const hang_signal_blocked no_signal_;
  const pinned here_;
  const overflow_reporting reporting_;
};

}  // namespace tactus::detail
