// SPDX-License-Identifier: Apache-2.0
// The types of exceptions that need no registration, since all they carry is a text, or a code of a category that every place has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <system_error>
#include <typeinfo>

namespace tactus::detail {

/// Its number in messages: what is no longer known keeps its own.
using known_number = std::uint8_t;
inline constexpr known_number k_not_known = 255;

/// Without RTTI nothing is known.
[[nodiscard]] known_number number_of_known(const std::type_info& type) noexcept;

/// One of that number with that text, where it has one. Null if there is no such number.
[[nodiscard]] std::exception_ptr make_known(known_number number, const std::string& what);

/// A system_error as a message has it. `prefix`: what stands before the text of the code.
struct system_error_parts {
  std::uint8_t category;
  std::int32_t code;
  bool has_prefix;
  std::string prefix;
};

/// False if its category is not of the standard.
[[nodiscard]] bool take_apart(const std::system_error& e, system_error_parts& into);

/// Null if there is no such category.
[[nodiscard]] std::exception_ptr put_together(const system_error_parts& parts);

}  // namespace tactus::detail
