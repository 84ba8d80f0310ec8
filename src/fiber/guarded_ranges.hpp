// SPDX-License-Identifier: Apache-2.0
// Where the guards of all pools are, for the handler of faults. The process has one list of ranges, which are used
// again and never freed, so that it can be walked without a lock.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

/// Any thread.
class guarded_ranges {
public:
  /// From `base` on there are stacks of `stack_bytes`, each with a guard at its low end. Throws std::bad_alloc.
  static void add(std::byte* base, std::size_t bytes, std::size_t stack_bytes, std::size_t guard_bytes);

  /// Those at `base` are about to go.
  static void remove(std::byte* base) noexcept;

  /// Whether `address` lies on a stack, or in its guard. Any thread; never waits.
  [[nodiscard]] static bool is_stack(std::uintptr_t address) noexcept;

  /// Whether `address` lies in a guard. Async-signal-safe.
  [[nodiscard]] static bool is_guard(const void* address) noexcept;

private:
  struct range;
  [[nodiscard]] static const range* around(std::uintptr_t a) noexcept;
};

}  // namespace tactus::detail
