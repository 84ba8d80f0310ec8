// SPDX-License-Identifier: Apache-2.0
// What a task that could have moved knows of itself while it runs.
#pragma once

#include <tactus/scheduler/impl/continuation.hpp>

#include <cstdint>

namespace tactus::detail {

/// On the stack that runs it, among the task's values.
struct running_flexible : local_value {
  static constexpr auto k_key = static_cast<std::uint64_t>(library_value::flexible);

  running_flexible(int meant_for, const char* of_type) noexcept
      : local_value{k_key, [](local_value*) noexcept {}, nullptr}, designated(meant_for), label(of_type) {}

  /// Null: the task is another one.
  [[nodiscard]] static running_flexible* of(const task_frame* task) noexcept {
    for (local_value* v = task->locals; v != nullptr; v = v->next) {
      if (v->key == k_key) {
        return static_cast<running_flexible*>(v);
      }
    }
    return nullptr;
  }

  const int designated;     // place
  const char* const label;  // what the compiler says of the function's type
  bool has_flexible_children = false;
};

}  // namespace tactus::detail
