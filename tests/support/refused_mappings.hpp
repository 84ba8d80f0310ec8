// SPDX-License-Identifier: Apache-2.0
// Address space that runs out when a test says so. The program is linked with --wrap=mmap
// (tactus_test_refuses_mappings), so that what the library maps comes by here, also under sanitizers, which a limit of
// the process would end.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <limits>

#include <sys/mman.h>

namespace support {

/// Larger mappings are refused.
inline std::atomic<std::size_t> g_largest_mapping{std::numeric_limits<std::size_t>::max()};
inline std::atomic<std::size_t> g_mappings_seen{0};

inline void refuse_mappings_above(std::size_t bytes) { g_largest_mapping = bytes; }
inline void allow_mappings() { g_largest_mapping = std::numeric_limits<std::size_t>::max(); }

/// Whether the library's calls come by: not where it is a shared one.
inline bool sees_mappings() { return g_mappings_seen != 0; }

}  // namespace support

extern "C" {
void* __real_mmap(void* at, std::size_t bytes, int protection, int flags, int file, off_t offset) noexcept;  // NOLINT
inline __attribute__((used)) void* __wrap_mmap(void* at, std::size_t bytes, int protection, int flags,       // NOLINT
                                               int file, off_t offset) noexcept {
  ++support::g_mappings_seen;
  if (bytes > support::g_largest_mapping) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return __real_mmap(at, bytes, protection, flags, file, offset);
}
}
