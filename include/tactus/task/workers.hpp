// SPDX-License-Identifier: Apache-2.0
// num_workers, worker_id, yield: the worker as a task sees it.
#pragma once

#include <tactus/scheduler/impl/suspend.hpp>

namespace tactus {
namespace detail {

struct num_workers_verb {
  int operator()() const { return any_worker_for("num_workers")->workers_of_place; }
};

struct worker_id_verb {
  int operator()() const { return any_worker_for("worker_id")->id; }
};

struct yield_verb {
  void operator()() const {
    static_cast<void>(worker_for("yield"));
    yield_now();
  }
};

}  // namespace detail

/// The number of workers of this place, the same for the whole run. Never suspends.
/// Errors: usage_error outside a task.
/// \snippet reference.cpp workers
/// \ingroup tasks
#ifdef DOXYGEN
int num_workers();
#else
inline constexpr detail::num_workers_verb num_workers{};
#endif

/// The number of the worker that runs the caller, in [0, num_workers()). May change wherever the task may suspend. Never
/// suspends itself.
/// Errors: usage_error outside a task.
/// \snippet reference.cpp workers
/// \ingroup tasks
#ifdef DOXYGEN
int worker_id();
#else
inline constexpr detail::worker_id_verb worker_id{};
#endif

/// Goes behind everything that is ready on this worker. When nothing else is ready, other threads of the machine get the
/// processor.
/// Errors: usage_error outside a task; resource_error where something else is ready and there is no address space for a
/// stack to run it on.
/// Suspends: may, and goes on on any worker.
/// Cost: about 50 ns.
/// \snippet reference.cpp yield
/// \ingroup tasks
#ifdef DOXYGEN
void yield();
#else
inline constexpr detail::yield_verb yield{};
#endif

}  // namespace tactus
