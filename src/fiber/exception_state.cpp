// SPDX-License-Identifier: Apache-2.0

#include <tactus/fiber/exception_state.hpp>

#include <cxxabi.h>

namespace tactus::detail {

TACTUS_NOINLINE exception_state* this_thread_exception_state() noexcept {
  auto* state = reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
  asm volatile("" : "+r"(state)::"memory");  // the result may not be remembered by callers
  return state;
}

}  // namespace tactus::detail
