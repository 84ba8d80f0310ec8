// SPDX-License-Identifier: Apache-2.0
// What other ranks may wait for when this one ends. docs/protocols/processes.md, "The end".
#pragma once

#include <tactus/base/impl/atomic.hpp>

namespace tactus::detail {

/// Runtimes of several ranks that were asked for here, less those that have ended together, or of which all know that they could not be made.
inline constinit atomic<int> g_left_behind{0};

inline void count_left_behind(int more) noexcept {
  g_left_behind.fetch_add(more, memory_order_relaxed);  // relaxed: for who ends the process, after all runtimes
}

}  // namespace tactus::detail
