// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/task_local.hpp>

namespace tactus::detail {

std::uint64_t next_local_key() noexcept {
  static atomic<std::uint64_t> next{1};
  return next.fetch_add(1, memory_order_relaxed);  // relaxed: only uniqueness matters
}

}  // namespace tactus::detail
