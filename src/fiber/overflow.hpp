// SPDX-License-Identifier: Apache-2.0
// Turns the fault of a task that runs off its stack into a message that names the task and the remedy.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>

namespace tactus::detail {

/// Answers that the scheduler gives about the thread that has just faulted; async-signal-safe.
struct overflow_answers {
  const char* (*task_name)() noexcept;
  std::size_t (*stack_bytes)() noexcept;
};

/// While one lives, faults of the calling thread are handled on a stack of their own. The first one in the process installs
/// the handler for SIGSEGV and SIGBUS; faults that are not stack overflows go to the handler that was there before.
class overflow_reporting {
public:
  explicit overflow_reporting(const overflow_answers& answers);
  ~overflow_reporting();
  overflow_reporting(const overflow_reporting&) = delete;
  overflow_reporting& operator=(const overflow_reporting&) = delete;

private:
  void* memory_ = nullptr;  // null: the thread had an alternate stack already
};

}  // namespace tactus::detail
