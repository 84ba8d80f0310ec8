// SPDX-License-Identifier: Apache-2.0
// What is said of files of arrays that cannot be written or read.
#pragma once

#include <string>

namespace tactus::detail {

enum class file_use { save, load };

/// resource_error where there is no room for it, else error: what the system says, as errno.
[[noreturn]] void throw_file_error(file_use use, const std::string& path, int number);

}  // namespace tactus::detail
