// SPDX-License-Identifier: Apache-2.0
// The distance that keeps two words written by different threads from slowing each other down.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>

namespace tactus::detail {

/// A constant of ours and not std::hardware_destructive_interference_size: that one follows -mtune, so a library
/// and a program compiled with different flags would disagree about the layout of shared structures.
inline constexpr std::size_t k_cache_line = 64;

}  // namespace tactus::detail
