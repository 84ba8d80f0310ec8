// SPDX-License-Identifier: Apache-2.0
// Which version these headers are of, and which one the library is.
#pragma once

// NOLINTBEGIN(modernize-macro-to-enum): the preprocessor compares them
#define TACTUS_VERSION_MAJOR 0
#define TACTUS_VERSION_MINOR 1
#define TACTUS_VERSION_PATCH 0
// NOLINTEND(modernize-macro-to-enum)

/// One number to compare with: 10203 is 1.2.3.
#define TACTUS_VERSION (10000 * TACTUS_VERSION_MAJOR + 100 * TACTUS_VERSION_MINOR + TACTUS_VERSION_PATCH)

/// "1.2.3"
#define TACTUS_VERSION_STRING         \
  TACTUS_QUOTED(TACTUS_VERSION_MAJOR) \
  "." TACTUS_QUOTED(TACTUS_VERSION_MINOR) "." TACTUS_QUOTED(TACTUS_VERSION_PATCH)

#define TACTUS_QUOTED(x) TACTUS_QUOTED_AS_IT_IS(x)
#define TACTUS_QUOTED_AS_IT_IS(x) #x

// Puts the version into a function's symbol. What every program calls has it: one that was compiled with headers of
// another minor version than its library is does not link, and the linker says why.
#define TACTUS_OF_THESE_HEADERS \
  [[gnu::abi_tag("headers_of_tactus_" TACTUS_QUOTED(TACTUS_VERSION_MAJOR) "_" TACTUS_QUOTED(TACTUS_VERSION_MINOR))]]

namespace tactus {

/// The version of the library that the program runs with, as TACTUS_VERSION_STRING is that of the headers: with a shared
/// library the last number may differ. May be called by any thread.
/// Errors: none.
/// \snippet reference.cpp version
/// \ingroup running
[[nodiscard, gnu::visibility("default")]] const char* version() noexcept;

}  // namespace tactus
