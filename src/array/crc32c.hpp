// SPDX-License-Identifier: Apache-2.0
// What crc32c() does on a processor without an instruction for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus::detail {

[[nodiscard]] std::uint32_t crc32c_by_tables(std::uint32_t sum, std::span<const std::byte> bytes) noexcept;

}  // namespace tactus::detail
