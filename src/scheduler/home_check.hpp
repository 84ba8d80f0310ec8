// SPDX-License-Identifier: Apache-2.0
// Objects that stay where they were made, and are used elsewhere.
#pragma once

#include <cstdint>
#include <string>

namespace tactus::detail {

/// `call` is done to "the stream", which was made in a task of the home `made_in`, by a task of another one: place_error, which says how to
/// do it at its place, or usage_error in a task of another runtime.
[[noreturn]] void throw_of_another_home(const std::string& call, const std::string& object, std::uint64_t made_in,
                                        const char* instead, const char* between_runtimes);

}  // namespace tactus::detail
