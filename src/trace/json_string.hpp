// SPDX-License-Identifier: Apache-2.0
// Texts of a program in files of JSON.
#pragma once

#include <string>
#include <string_view>

namespace tactus::detail {

/// As a JSON string, quotes included; what is no UTF-8 becomes question marks.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace tactus::detail
