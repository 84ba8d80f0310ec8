// SPDX-License-Identifier: Apache-2.0

#include <tactus/version.hpp>

#include <string_view>

namespace tactus {

static_assert(std::string_view(TACTUS_VERSION_STRING) == TACTUS_PROJECT_VERSION,
              "include/tactus/version.hpp and project(VERSION) in CMakeLists.txt name different versions");

const char* version() noexcept { return TACTUS_VERSION_STRING; }

}  // namespace tactus
