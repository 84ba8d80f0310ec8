// SPDX-License-Identifier: Apache-2.0
// A stack for tasks, as its control block says. From below: the guard; what a task may use, stack_bytes at least, and more for those
// below it that wait while it runs on top of them; the control block, the fiber_stack, in the page that every use touches anyway.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/fiber/impl/sanitizer.hpp>

#include <cstddef>

namespace tactus::detail {

/// Where a stack begins: 16-byte aligned, grows downwards. This is what names a stack on hot paths, because it can be had
/// without touching the control block: those lie at equal offsets of their pages and compete for the same cache set.
using stack_top = std::byte*;

/// Control block of one stack. All fields belong to whoever owns the stack: a cache, the worker that runs on it, or the
/// continuation that is parked on it.
struct alignas(64) fiber_stack {
  std::byte* low = nullptr;  ///< lowest usable address; below it the guard
  atomic<void*> parked{
      nullptr};  ///< the waiting continuation, for reports; null while it runs (docs/protocols/hang.md)
  stack_sanitizer sanitizer;

  [[nodiscard]] stack_top top() noexcept { return reinterpret_cast<std::byte*>(this); }

  /// What the sanitizers are told about a computation that starts here.
  [[nodiscard]] context_sanitizer context() noexcept { return context_sanitizer::on(sanitizer, low, this); }
};

}  // namespace tactus::detail
