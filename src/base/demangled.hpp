// SPDX-License-Identifier: Apache-2.0
// Names of types as programs spell them.
#pragma once

#include <string>

namespace tactus::detail {

/// What type_info::name() says, as the program spells it, without the inline namespaces of the standard libraries. Any other text,
/// and a name that there is no memory to take apart, comes back as it is. std::bad_alloc.
[[nodiscard]] std::string demangled(const char* mangled);

}  // namespace tactus::detail
