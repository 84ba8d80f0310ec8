// SPDX-License-Identifier: Apache-2.0
// How large tests are: one constant shrinks them under sanitizers, one variable of the environment makes them full size.
#pragma once

#include <cstddef>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TACTUS_TEST_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define TACTUS_TEST_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) && !defined(TACTUS_TEST_TSAN)
#define TACTUS_TEST_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(TACTUS_TEST_ASAN)
#define TACTUS_TEST_ASAN 1
#endif

namespace support {

#if defined(TACTUS_TEST_TSAN)
inline constexpr bool k_tsan = true;
#else
inline constexpr bool k_tsan = false;
#endif
#if defined(TACTUS_TEST_ASAN)
inline constexpr bool k_asan = true;
#else
inline constexpr bool k_asan = false;
#endif

/// Memory and processor time mean little under these tools; tests count there and do not weigh.
inline constexpr bool k_sanitized = k_tsan || k_asan;

/// What the everyday size of a test is divided by. ThreadSanitizer dies at 8,128 live stacks; 100,000 / 64 is well below.
inline constexpr std::size_t k_scale = k_tsan ? 64 : k_asan ? 16 : 1;

/// The everyday size, made smaller under sanitizers; never below `least`.
constexpr std::size_t scaled(std::size_t everyday, std::size_t least = 1) {
  return everyday / k_scale < least ? least : everyday / k_scale;
}

/// As scaled(), but `full` where the environment says FULL_SCALE=1 and no sanitizer is on.
inline std::size_t scaled_or_full(std::size_t everyday, std::size_t full) {
  const char* const wish = std::getenv("FULL_SCALE");
  return !k_sanitized && wish != nullptr && *wish == '1' ? full : scaled(everyday);
}

}  // namespace support
