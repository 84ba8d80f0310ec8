// SPDX-License-Identifier: Apache-2.0
// What the compiler and the target offer, as macros that are always 0 or 1.
#pragma once

#include <tactus/base/impl/standard.hpp>

#if defined(__SANITIZE_THREAD__)
#define TACTUS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TACTUS_TSAN 1
#endif
#endif
#ifndef TACTUS_TSAN
#define TACTUS_TSAN 0
#endif

#if defined(__SANITIZE_ADDRESS__)
#define TACTUS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TACTUS_ASAN 1
#endif
#endif
#ifndef TACTUS_ASAN
#define TACTUS_ASAN 0
#endif

// The portable context (ucontext) replaces the assembly where there is none, or where the build asks for it.
#if !defined(TACTUS_PORTABLE_CONTEXT)
#if defined(__x86_64__) || defined(__aarch64__)
#define TACTUS_PORTABLE_CONTEXT 0
#else
#define TACTUS_PORTABLE_CONTEXT 1
#endif
#endif

// A function that switches stacks must not be instrumented: the sanitizers would see its entry on one stack and its exit on another.
#if defined(__clang__)
// clang's no_sanitize("thread") still marks entry and exit for the shadow call stack, which is what must not happen here.
#define TACTUS_NO_SANITIZE __attribute__((disable_sanitizer_instrumentation, no_sanitize("undefined")))
#else
#define TACTUS_NO_SANITIZE __attribute__((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#endif

#define TACTUS_NOINLINE __attribute__((noinline))

// Forced inlining would carry uninstrumented copies of the deque into functions that must not be instrumented, and
// ThreadSanitizer would miss their atomics; a plain inline function keeps its own instrumentation.
#if TACTUS_TSAN || TACTUS_ASAN
#define TACTUS_ALWAYS_INLINE inline
#else
#define TACTUS_ALWAYS_INLINE inline __attribute__((always_inline))
#endif

namespace tactus::detail {

/// The same pointer, in a register of its own. Keeps compilers from merging the copies of neighbouring fields into 16-byte
/// moves: a 16-byte load of what an 8-byte store has just written waits until the store has left its buffer, some 4 ns of a
/// 10 ns spawn (measured on Zen 4, g++ 12 -O3).
template <class T>
TACTUS_ALWAYS_INLINE T* by_itself(T* p) noexcept {
  asm("" : "+r"(p));
  return p;
}

}  // namespace tactus::detail
