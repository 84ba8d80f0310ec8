// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tactus/scheduler/impl/continuation.hpp>
#include <tactus/scheduler/impl/worker.hpp>
#include <tactus/task/impl/task_body.hpp>

namespace tactus::detail {

// While it lives, the user's code that `w` runs is of a task that nobody knows: what copies, assigns and ends values as a phase turns, which may
// be between two tasks, or in the middle of one. Its values end with it. Nothing may suspend meanwhile.
class frame_of_turn {
public:
  explicit frame_of_turn(worker* w) noexcept : w_(w), before_(w->task) { w->task = &frame_; }
  ~frame_of_turn() {
    end_task_frame(frame_);
    w_->task = before_;
  }
  frame_of_turn(const frame_of_turn&) = delete;
  frame_of_turn& operator=(const frame_of_turn&) = delete;

private:
  worker* const w_;
  task_frame* const before_;
  task_frame frame_;
};

}  // namespace tactus::detail
