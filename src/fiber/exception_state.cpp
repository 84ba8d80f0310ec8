// SPDX-License-Identifier: Apache-2.0

#include <tactus/fiber/impl/exception_state.hpp>

// Names of the Itanium C++ ABI. libc++ declares them nowhere, libstdc++ in <cxxabi.h>, the function as const.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
namespace __cxxabiv1 {
struct __cxa_eh_globals;
extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept;
}  // namespace __cxxabiv1
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace tactus::detail {

TACTUS_NOINLINE exception_state* this_thread_exception_state() noexcept {
  auto* state = reinterpret_cast<exception_state*>(__cxxabiv1::__cxa_get_globals());
  asm volatile("" : "+r"(state)::"memory");  // the result may not be remembered by callers
  return state;
}

}  // namespace tactus::detail
