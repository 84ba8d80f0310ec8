// SPDX-License-Identifier: Apache-2.0
// What two places tell each other before anything else. docs/protocols/frames.md, "Hello".
#pragma once

#include <tactus/wire/impl/archives.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tactus {

struct config;

namespace detail {

inline constexpr std::size_t k_hello_bytes = 64;
inline constexpr std::size_t k_shared_fields = 9;  // of a configuration: equal at all places of a run
using hello_bytes = std::array<std::byte, k_hello_bytes>;

struct hello {
  std::uint8_t pointer_bytes = sizeof(void*);
  std::uint8_t long_bytes = sizeof(long);
  std::uint8_t long_double_bytes = sizeof(long double);
  std::uint8_t long_double_digits = 0;  // of its mantissa: x86's 80 bits and IEEE's 128 take the same room
  std::uint32_t first_place = 0;
  std::uint32_t places_here = 1;
  std::uint32_t workers = 0;  // of each of them
  std::uint32_t window = 0;   // KiB
  std::uint64_t build = 0;
  std::uint64_t configuration = 0;
  std::array<std::uint16_t, k_shared_fields> fields{};  // a number for each that has to be equal

  friend bool operator==(const hello&, const hello&) = default;
};

/// That of a place of a run with these options.
[[nodiscard]] hello hello_of(const config& options, int first_place, int places_here);

/// As a place writes it that stores numbers in `order`.
[[nodiscard]] hello_bytes write_hello(const hello& what, byte_order order) noexcept;

/// Null, or what is wrong with what anybody may have sent; `order`: that of its writer.
[[nodiscard]] const char* read_hello(std::span<const std::byte> bytes, hello& into, byte_order& order) noexcept;

/// Whether objects are alike in memory at both, so that what is copied as bytes means the same.
[[nodiscard]] bool are_alike(const hello& a, byte_order order_of_a, const hello& b, byte_order order_of_b) noexcept;

/// Why these two cannot run one program together; empty if they can.
[[nodiscard]] std::string what_parts(const hello& mine, const hello& theirs, bool alike);

}  // namespace detail
}  // namespace tactus
