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
  signal_text& operator<<(const char* s) noexcept {
    const std::size_t n = std::min(std::strlen(s), sizeof text_ - used_);
    std::memcpy(text_ + used_, s, n);
    used_ += n;
    return *this;
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
  char text_[512];
  std::size_t used_ = 0;
};

}  // namespace tactus::detail
