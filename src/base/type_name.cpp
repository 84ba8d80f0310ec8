// SPDX-License-Identifier: Apache-2.0
#include "base/type_name.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <typeinfo>

#include <cxxabi.h>

namespace tactus::detail {

std::string clipped(std::string_view text) {
  constexpr std::size_t k_quoted_characters = 2048;
  std::string start(text.substr(0, k_quoted_characters));
  if (start.size() < text.size()) {
    start += "... (" + std::to_string(text.size() - start.size()) + " more characters)";
  }
  return start;
}

const std::type_info* type_being_handled() noexcept { return abi::__cxa_current_exception_type(); }

std::string name_of_type_being_handled() {
  const std::type_info* const type = type_being_handled();
  return type != nullptr ? clipped(demangled(type->name())) : "unknown";
}

}  // namespace tactus::detail
