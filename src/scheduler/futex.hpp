// SPDX-License-Identifier: Apache-2.0
// The kernel's wait and wake on a 32-bit word.
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include <chrono>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tactus::detail {

/// Sleeps while the word holds `value`; may also return early. Interrupted by signals: callers loop.
inline void futex_wait(atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

/// The same, no longer than `time`.
inline void futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t value, std::chrono::nanoseconds time) noexcept {
  const timespec span{.tv_sec = time.count() / 1'000'000'000, .tv_nsec = time.count() % 1'000'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, &span, nullptr, 0);
}

inline void futex_wake(atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace tactus::detail
