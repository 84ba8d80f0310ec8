// SPDX-License-Identifier: Apache-2.0
// The exceptions being handled by whoever runs something else on this thread.
#pragma once

#include <tactus/fiber/impl/exception_state.hpp>
#include <tactus/scheduler/impl/worker.hpp>

namespace tactus::detail {

/// While it lives, the thread that runs the caller handles no exceptions; then the caller, on whichever worker it is by then,
/// handles its own again. `w` is the current worker.
class exceptions_aside {
public:
  TACTUS_ALWAYS_INLINE explicit exceptions_aside(worker* w) noexcept : handled_(*w->exceptions) { *w->exceptions = {}; }
  TACTUS_ALWAYS_INLINE ~exceptions_aside() { *current_worker()->exceptions = handled_; }
  exceptions_aside(const exceptions_aside&) = delete;
  exceptions_aside& operator=(const exceptions_aside&) = delete;

private:
  const exception_state handled_;
};

}  // namespace tactus::detail
