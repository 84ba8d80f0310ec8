// SPDX-License-Identifier: Apache-2.0
// A line of text without the heap, for signal handlers: the signal may have interrupted malloc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include <unistd.h>

namespace tactus::detail {

/// Clipped where it is too long. Async-signal-safe.
class signal_text {
public:
  signal_text& operator<<(const char* s) noexcept { return add(s, std::strlen(s)); }

  /// Of a text that may be long its first bytes, with "..." behind them, so that what follows has room.
  signal_text& clipped(const char* s, std::size_t most) noexcept {
    std::size_t n = ::strnlen(s, most + 1);
    if (n <= most) {
      return add(s, n);
    }
    n = most;
    while (n != 0 && (static_cast<unsigned char>(s[n]) & 0xc0U) == 0x80U) {
      --n;  // not within a character
    }
    return add(s, n) << "...";
  }
  signal_text& operator<<(std::size_t number) noexcept {
    char digits[24];
    char* p = digits + sizeof digits;
    *--p = '\0';
    do {
      *--p = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return *this << p;
  }
  void write() const noexcept { [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, text_, used_); }

private:
  signal_text& add(const char* s, std::size_t n) noexcept {
    n = std::min(n, sizeof text_ - used_);
    std::memcpy(text_ + used_, s, n);
    used_ += n;
    return *this;
  }

  char text_[512];
  std::size_t used_ = 0;
};

}  // namespace tactus::detail
