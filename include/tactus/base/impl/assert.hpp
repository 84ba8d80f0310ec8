// SPDX-License-Identifier: Apache-2.0
// Assertions of the library's own invariants. Misuse by a caller is never asserted: it throws.
//
//   TACTUS_ASSERT(top <= bottom, "only the owner moves bottom, so a thief can never pass it");
//
// The sentence says what must hold and why. TACTUS_ASSERT is on in debug builds (NDEBUG not defined) and wherever
// TACTUS_CHECKED is defined; when off, the condition is still compiled but never evaluated.
// TACTUS_ALWAYS_ASSERT is always on: for checks that cost nothing beside what they guard.
#pragma once

#include <tactus/base/impl/api.hpp>

namespace tactus::detail {

/// Prints "file:line: sentence (condition)" to stderr and aborts. Allocates nothing and takes no lock, so that it
/// works on a nearly full stack, in a signal handler and while another thread holds the heap.
[[noreturn]] TACTUS_API void assertion_failed(const char* file, int line, const char* condition,
                                              const char* sentence) noexcept;

/// Prints that the process ends, since `what` needs memory and there is none, with `why` and what to do about it, and
/// aborts. For what can neither fail nor wait. As sparing as assertion_failed().
[[noreturn]] void end_without_memory(const char* what, const char* why) noexcept;

}  // namespace tactus::detail

#define TACTUS_ALWAYS_ASSERT(condition, sentence) \
  ((condition) ? static_cast<void>(0) : ::tactus::detail::assertion_failed(__FILE__, __LINE__, #condition, (sentence)))

#if !defined(NDEBUG) || defined(TACTUS_CHECKED)
#define TACTUS_ASSERT(condition, sentence) TACTUS_ALWAYS_ASSERT(condition, sentence)
#else
#define TACTUS_ASSERT(condition, sentence) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
