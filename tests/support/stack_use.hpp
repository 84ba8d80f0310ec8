// SPDX-License-Identifier: Apache-2.0
// Functions that are called with much of their stack in use.
#pragma once

#include <alloca.h>

#include <cstddef>

namespace support {

/// Calls f below `bytes` of stack that have all been written to.
template <class F>
[[gnu::noinline]] void with_stack_used(std::size_t bytes, F&& f) {
  constexpr std::size_t k_page = 4096;
  auto* const used = static_cast<volatile char*>(alloca(bytes));
  for (std::size_t i = bytes; i > 0; i -= i < k_page ? i : k_page) {  // downwards, as a stack grows
    used[i - 1] = 1;
  }
  f();
  used[0] = 1;  // so that f is not called in place of this
}

}  // namespace support
