// SPDX-License-Identifier: Apache-2.0
// Memory that runs out at a chosen moment. It replaces the program's operator new: for one file of a test that has no other.
#pragma once

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace support {

/// The last of so many allocations fails; those after it do not.
inline std::atomic<long> g_allocations_left{LONG_MAX};

}  // namespace support

// Not inlined: compilers would see malloc's memory go to delete. Both forms: AddressSanitizer has one of its own for each that is missing.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*unused*/) noexcept {
  return support::g_allocations_left.fetch_sub(1, std::memory_order_relaxed) == 1 ? nullptr : std::malloc(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const p = operator new(bytes, std::nothrow);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
