// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace spanning {

inline constexpr double k_mebibyte = 1024.0 * 1024.0;
inline constexpr double k_gibibyte = 1024.0 * k_mebibyte;

/// 1234567 as "1,234,567".
inline std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) {
      text += ',';
    }
    text += digits[i];
  }
  return text;
}

}  // namespace spanning
