// SPDX-License-Identifier: Apache-2.0
// What belongs to a task: the list that its frame heads.

#include <tactus/scheduler/impl/continuation.hpp>

#include <tactus/base/impl/atomic.hpp>

namespace tactus::detail {

std::uint64_t next_local_key() noexcept {
  static atomic<std::uint64_t> next{1};
  return next.fetch_add(1, memory_order_relaxed);  // relaxed: only uniqueness matters
}

std::uint64_t next_handle_key(int place) noexcept {
  return (static_cast<std::uint64_t>(place) << k_serial_bits) | next_local_key();
}

const char* task_frame::name() const noexcept {
  for (const local_value* v = locals; v != nullptr; v = v->next) {
    if (v->key == task_name::k_key) {
      const std::string& text = static_cast<const task_name*>(v)->text;
      return text.empty() ? nullptr : text.c_str();
    }
    if (v->key == lent_name::k_key && static_cast<const lent_name*>(v)->text != nullptr) {
      return static_cast<const lent_name*>(v)->text;
    }
  }
  return nullptr;
}

const traced_task* task_frame::traced() const noexcept {
  for (const local_value* v = locals; v != nullptr; v = v->next) {
    if (v->key == traced_task::k_key) {
      return static_cast<const traced_task*>(v);
    }
  }
  return nullptr;
}

void destroy_locals(task_frame& frame) noexcept {
  while (frame.locals != nullptr) {  // a destructor may use, and so make, other values
    local_value* const v = frame.locals;
    frame.locals = v->next;
    v->destroy(v);
  }
}

void unlink_local(task_frame& frame, local_value* v) noexcept {
  local_value** at = &frame.locals;
  while (*at != v) {
    at = &(*at)->next;
  }
  *at = v->next;
}

void destroy_locals_of(const finish_scope& scope, task_frame& frame) noexcept {
  for (local_value* v = frame.locals; v != nullptr;) {
    local_value* const next = v->next;
    if (v->ends_with == &scope) {
      unlink_local(frame, v);
      v->destroy(v);
    }
    v = next;
  }
}

}  // namespace tactus::detail
