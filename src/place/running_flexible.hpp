// SPDX-License-Identifier: Apache-2.0
// What a task that could have moved knows of itself while it runs.
#pragma once

#include <tactus/scheduler/impl/continuation.hpp>

#include <cstdint>

namespace tactus::detail {

/// On the stack that runs it, among the task's values.
struct running_flexible : local_value {
  static constexpr std::uint64_t k_key = ~std::uint64_t{0} - 1;

  explicit running_flexible(int meant_for) noexcept
      : local_value{k_key, [](local_value*) noexcept {}, nullptr}, designated(meant_for) {}

  /// Null: the task is another one.
  [[nodiscard]] static running_flexible* of(const task_frame* task) noexcept {
    for (local_value* v = task->locals; v != nullptr; v = v->next) {
      if (v->key == k_key) {
        return static_cast<running_flexible*>(v);
      }
    }
    return nullptr;
  }

  const int designated;  // place
  bool has_flexible_children = false;
};

}  // namespace tactus::detail
