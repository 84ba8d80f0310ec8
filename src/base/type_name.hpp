// SPDX-License-Identifier: Apache-2.0
// Names of types as a program spells them.
#pragma once

#include "base/demangled.hpp"

#include <string>
#include <string_view>
#include <typeinfo>

namespace tactus::detail {

/// The first 2048 characters, and how many more there were.
[[nodiscard]] std::string clipped(std::string_view text);

/// Of the exception being handled: what was thrown, whatever it is caught as; null if another language has. Needs no type information in
/// the exception itself, which may come from code without.
[[nodiscard]] const std::type_info* type_being_handled() noexcept;

/// "unknown" for another language's.
[[nodiscard]] std::string name_of_type_being_handled();

}  // namespace tactus::detail
