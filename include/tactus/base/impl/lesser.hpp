// SPDX-License-Identifier: Apache-2.0
// The smaller and the greater of two numbers. What else is in <algorithm> costs each file that includes Tactus a
// twentieth of its time.
#pragma once

#include <tactus/base/impl/standard.hpp>

namespace tactus::detail {

template <class T>
[[nodiscard]] constexpr T lesser(T a, T b) noexcept {
  return b < a ? b : a;
}

template <class T>
[[nodiscard]] constexpr T greater(T a, T b) noexcept {
  return a < b ? b : a;
}

}  // namespace tactus::detail
