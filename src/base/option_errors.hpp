// SPDX-License-Identifier: Apache-2.0
// What is said of options that are not as they should be.
#pragma once

#include "base/option_table.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tactus::detail {

/// What somebody wrote, fit for one line of a terminal: control characters escaped, and clipped.
[[nodiscard]] std::string shown(std::string_view text);

/// Throws config_error: the value that stands in `source` is not allowed.
[[noreturn]] void refuse(const std::string& source, std::string_view value, std::string_view allowed);

/// Throws config_error: there is no such `kind`; perhaps `guess` was meant, if that is not empty.
[[noreturn]] void refuse_name(std::string_view kind, std::string_view name, std::string_view value,
                              std::string_view guess, std::string (*spell)(const option&));

/// The known name that `name` was probably meant to be, or an empty string. `slips` are as many as even a short name
/// may have. `-`, `_` and case never part two names.
[[nodiscard]] std::string nearest(std::string_view name, std::string_view prefix, std::string (*spell)(const option&),
                                  std::size_t slips);

}  // namespace tactus::detail
