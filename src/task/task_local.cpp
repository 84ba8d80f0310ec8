// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/task_local.hpp>

namespace tactus::detail {

std::uint64_t next_local_key() noexcept {
  static atomic<std::uint64_t> next{1};
  return next.fetch_add(1, memory_order_relaxed);  // relaxed: only uniqueness matters
}

void destroy_locals(task_frame& frame) noexcept {
  while (frame.locals != nullptr) {  // a destructor may use, and so make, other values
    local_value* const v = frame.locals;
    frame.locals = v->next;
    v->destroy(v);
  }
}

}  // namespace tactus::detail
