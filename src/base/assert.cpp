// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/impl/assert.hpp>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace tactus::detail {

namespace {

void print(const char* text, std::size_t length) noexcept {
  while (length != 0) {
    const ssize_t written = ::write(STDERR_FILENO, text, length);
    if (written <= 0) {
      return;  // nowhere left to complain to; the abort still tells
    }
    text += written;
    length -= static_cast<std::size_t>(written);
  }
}

void print(const char* text) noexcept { print(text, std::strlen(text)); }

}  // namespace

void assertion_failed(const char* file, int line, const char* condition, const char* sentence) noexcept {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, line).ptr;
  print(file);
  print(":");
  print(digits, static_cast<std::size_t>(end - digits));
  print(": ");
  print(sentence);
  print(" (");
  print(condition);
  print(")\n");
  std::abort();
}

void end_without_memory(const char* what, const char* why) noexcept {
  print("tactus: the process ends: ");
  print(what);
  print(" and there is none (");
  print(why);
  print("); raise the limit on virtual memory (ulimit -v), or give the process more memory\n");
  std::abort();
}

}  // namespace tactus::detail
