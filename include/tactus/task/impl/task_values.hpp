// SPDX-License-Identifier: Apache-2.0
// The values of a task that its own list does not have: a task has one of each task_local at each place that it comes to, by at().
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/continuation.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Among the values of a task: other places where it has some, and the name of these there. They end with this, by tasks of the finish that
/// the ending one is of.
struct values_elsewhere : local_value {
  static constexpr auto k_key = static_cast<std::uint64_t>(library_value::elsewhere);

  values_elsewhere() noexcept : local_value{k_key, end, nullptr} {}

  static void end(local_value* v) noexcept;

  std::vector<std::pair<int, std::uint64_t>> names;
};

/// Who has called the outermost at() of a task: found at that place, while it waits.
struct task_origin {
  int place = 0;
  bool is_number = false;    ///< of at_callers; else an address
  std::uint64_t caller = 0;  ///< an at_wait
};

/// Among the values of the body of an at(), while it runs: where those of its task are.
struct body_values : lent_name {
  /// Of one that stays: the values are its caller's.
  explicit body_values(task_frame* of_caller) noexcept
      : lent_name{{k_key, ends_itself, nullptr}, of_caller->name()}, caller(of_caller) {}

  /// Of one elsewhere.
  body_values(const task_origin& of_task, values_elsewhere* found, const char* name, int meant_for) noexcept
      : lent_name{{k_key, ends_itself, nullptr}, name}, origin(of_task), elsewhere(found), designated(meant_for) {}

  static void ends_itself(local_value*) noexcept {}

  task_frame* caller = nullptr;
  task_origin origin;
  values_elsewhere* elsewhere = nullptr;  ///< the task's, who takes it back; null: it has none
  int designated = 0;                     ///< place of the task, where this is a body elsewhere
};

/// Of what the task has at this place besides its own list: the value of that key, null if there is none; or `made` is added to it, if that
/// is not null. std::bad_alloc: it is the caller's.
[[nodiscard]] TACTUS_API local_value* value_apart(task_frame* task, std::uint64_t key, local_value* made = nullptr);

/// By the root task, whose body has ended and whose finish still waits: what is to end by tasks of the run, and would else be too late.
void end_with_root(task_frame& task) noexcept;

}  // namespace tactus::detail
