// SPDX-License-Identifier: Apache-2.0
// The C++ runtime keeps, per thread, the exceptions being handled and the number in flight. They belong to the computation:
// one that stops inside a catch block or a destructor during unwinding takes them along and goes on with them elsewhere.
#pragma once

#include <tactus/base/impl/platform.hpp>

#include <cstdint>

namespace tactus::detail {

/// The thread's state in the layout that the Itanium C++ ABI fixes for __cxa_eh_globals.
struct exception_state {
  void* caught = nullptr;     ///< stack of exceptions being handled
  unsigned int uncaught = 0;  ///< exceptions thrown and not yet caught

  [[nodiscard]] bool empty() const noexcept { return (reinterpret_cast<std::uintptr_t>(caught) | uncaught) == 0; }
};

/// The calling thread's state. The C++ library declares its accessor const, so a compiler may reuse the answer across a
/// switch to another thread; this one is opaque and asks each time.
exception_state* this_thread_exception_state() noexcept;

}  // namespace tactus::detail
