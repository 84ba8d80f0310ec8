// SPDX-License-Identifier: Apache-2.0
// num_workers, worker_id, yield: the worker as a task sees it.
#pragma once

#include <tactus/scheduler/scheduler.hpp>

namespace tactus {
namespace detail {

struct num_workers_verb {
  /// The number of workers of this place. usage_error outside a task.
  int operator()() const { return any_worker_for("num_workers")->owner->size(); }
};

struct worker_id_verb {
  /// The number of the worker that runs the caller, in [0, num_workers()). May change at any suspension point.
  int operator()() const { return any_worker_for("worker_id")->id; }
};

struct yield_verb {
  /// Goes behind everything that is ready on this worker. Suspends: may. When nothing else is ready, other threads of the
  /// machine get the processor. Cost: about 50 ns. usage_error outside a task; resource_error where something else is
  /// ready and there is no address space for a stack to run it on.
  void operator()() const {
    static_cast<void>(worker_for("yield"));
    yield_now();
  }
};

}  // namespace detail

inline constexpr detail::num_workers_verb num_workers{};
inline constexpr detail::worker_id_verb worker_id{};
inline constexpr detail::yield_verb yield{};

}  // namespace tactus
