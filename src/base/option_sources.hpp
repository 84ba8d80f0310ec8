// SPDX-License-Identifier: Apache-2.0
// Where options are written besides the fields: variables and flags. What holds for them: tactus/base/impl/options.hpp.
#pragma once

#include "base/settings.hpp"

#include <string>
#include <vector>

namespace tactus::detail {

/// Variables that are nobody's as far as we know are added to `ignored`, fit to be printed. Throws config_error.
void apply_variables(settings& so_far, const char* const* environment, std::vector<std::string>& ignored);

/// Returns the arguments that are left, then a null pointer. Throws config_error.
[[nodiscard]] std::vector<char*> apply_flags(settings& so_far, int argc, char* const* argv);

}  // namespace tactus::detail
