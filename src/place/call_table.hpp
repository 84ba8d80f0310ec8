// SPDX-License-Identifier: Apache-2.0
// All types of calls of this process, by the number that frames have for them. docs/protocols/frames.md, "Tokens".
#pragma once

#include <tactus/place/impl/wired_type.hpp>

#include <cstdint>

namespace tactus::detail {

/// Which number: that of builds that are alike, or that of the type's name, which all builds have.
enum class token_kind : bool { of_build, of_name };

/// std::bad_alloc.
[[nodiscard]] std::uint64_t token_of(const wired_type& entry, token_kind kind);

/// Null if no type has it, or two have, which those of nameless namespaces may in a program of several files. std::bad_alloc.
[[nodiscard]] const wired_type* find_call(std::uint64_t token, token_kind kind);

/// Of the programs and libraries that were loaded when it is asked for the first time: equal in processes that run the same.
[[nodiscard]] std::uint64_t hash_of_build() noexcept;

}  // namespace tactus::detail
