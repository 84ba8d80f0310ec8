// SPDX-License-Identifier: Apache-2.0
// The head of a file of an array as bytes, and what is believed of such bytes. docs/checkpoint-format.md, "Layout".
#pragma once

#include <tactus/array/impl/checkpoint_file.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tactus::detail {

inline constexpr std::size_t k_checkpoint_begin = 80;  // bytes of which every head has as many

/// In this machine's order.
[[nodiscard]] std::vector<std::byte> bytes_of(const checkpoint_head& head);

/// How long the head is that begins with these bytes, of a file of that size. error, which names the file: they begin none, or none that
/// could be in the file.
[[nodiscard]] std::uint64_t length_of_head(std::span<const std::byte, k_checkpoint_begin> begin,
                                           std::uint64_t file_bytes, const std::string& path);

/// What they say. error, which names the file: they are damaged, or lie.
[[nodiscard]] checkpoint_head head_of(std::span<const std::byte> bytes, std::uint64_t file_bytes,
                                      const std::string& path);

}  // namespace tactus::detail
