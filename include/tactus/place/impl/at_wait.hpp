// SPDX-License-Identifier: Apache-2.0
// A task that waits for the body of its at().
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/task/impl/task_values.hpp>

#include <cstdint>

namespace tactus::detail {

struct queued_task;

/// On the stack of the caller.
struct at_wait : wait_point {
  int from = 0;                    ///< the caller's place
  int to = 0;                      ///< where the body runs
  finish_scope* under = nullptr;   ///< the caller's innermost finish
  queued_task* request = nullptr;  ///< sent when the caller has left its stack
  std::uint64_t traced_as = 0;     ///< with a timeline, the body's number there
  const char* name = nullptr;      ///< of the calling task, where it has one
  int designated = 0;              ///< place of the task
  // For task_locals.
  task_frame* task = nullptr;             ///< the calling one, or what it has called at() from
  task_origin origin;                     ///< of the task
  values_elsewhere* elsewhere = nullptr;  ///< the task's; the body may have added some
};

/// The key of the calling task's finish, `w` being the calling worker. std::bad_alloc.
[[nodiscard]] std::uint64_t at_key(worker* w);

/// Notes whose values the body shares, and what else it is to know of its task.
void begin_visit(at_wait& wait) noexcept;

/// Once it has ended: the task has what the body has added.
void end_visit(at_wait& wait) noexcept;

/// Sends the request and waits for its end, without the two above; as the next one.
void wait_for_reply(at_wait& wait);

/// Sends the request, of the calling task's finish, and waits for its end. std::bad_alloc, deadlock_error, resource_error: nothing was sent, and the request is the caller's.
TACTUS_API void wait_for_body(at_wait& wait);

/// By who has made a body at another place run: its message, in whose storage the caller stands behind the header, goes back.
TACTUS_API void end_body(worker* w, queued_task* m, at_wait* caller) noexcept;

}  // namespace tactus::detail
