// SPDX-License-Identifier: Apache-2.0
#include "base/demangled.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <version>

#include <cxxabi.h>

namespace tactus::detail {
namespace {

// The demangler of libc++abi ends the process where it gets no memory. For names up to this length it needs none but for
// the text, and gets that beforehand; longer ones are told as they are.
#if defined(_LIBCPP_VERSION)
constexpr std::size_t k_longest_mangled = 128;
#else
constexpr std::size_t k_longest_mangled = std::string_view::npos;
#endif
constexpr std::size_t k_room_for_text = 2048;

}  // namespace

std::string demangled(const char* mangled) {
  const std::string_view all(mangled);
  auto* const room = all.size() <= k_longest_mangled ? static_cast<char*>(std::malloc(k_room_for_text)) : nullptr;
  if (room == nullptr) {
    return std::string(all);
  }
  std::size_t bytes = k_room_for_text;
  int status = 0;
  char* const spelled = abi::__cxa_demangle(mangled, room, &bytes, &status);  // it may have moved the room
  const std::unique_ptr<char, void (*)(void*)> text(spelled != nullptr ? spelled : room, std::free);
  std::string result = spelled != nullptr ? spelled : std::string(all);
  for (const std::string_view hidden : {"__1::", "__cxx11::"}) {
    const std::string in_std = "std::" + std::string(hidden);
    for (std::size_t at = 0; (at = result.find(in_std, at)) != std::string::npos;) {
      result.erase(at + std::string_view("std::").size(), hidden.size());
    }
  }
  return result;
}

}  // namespace tactus::detail
