// SPDX-License-Identifier: Apache-2.0
// The kernel's wait and wake on a 32-bit word.
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tactus::detail {

/// Sleeps while the word holds `value`; may also return early. Interrupted by signals: callers loop.
inline void futex_wait(atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

inline void futex_wake(atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace tactus::detail
