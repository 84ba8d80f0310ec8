// SPDX-License-Identifier: Apache-2.0
// CRC-32C, as iSCSI has it: by an instruction where there is one, else by tables, eight bytes at a step.
#include <tactus/array/impl/checkpoint_file.hpp>

#include "array/crc32c.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace tactus::detail {
namespace {

constexpr std::uint32_t k_polynomial = 0x82F63B78U;  // 0x1EDC6F41 with its bits turned round

using tables = std::array<std::array<std::uint32_t, 256>, 8>;

consteval tables make_tables() {
  tables t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t sum = i;
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? k_polynomial : 0);
    }
    t[0][i] = sum;
  }
  for (std::size_t k = 1; k < t.size(); ++k) {
    for (std::size_t i = 0; i < 256; ++i) {
      t[k][i] = (t[k - 1][i] >> 8U) ^ t[0][t[k - 1][i] & 0xFFU];
    }
  }
  return t;
}
constexpr tables k_tables = make_tables();

std::uint64_t little_word(const std::byte* at) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    word = __builtin_bswap64(word);
  }
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::uint32_t sum,
                                                               std::span<const std::byte> bytes) noexcept {
  std::uint64_t wide = ~sum;
  while (bytes.size() >= 8) {
    wide = __builtin_ia32_crc32di(wide, little_word(bytes.data()));
    bytes = bytes.subspan(8);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (const std::byte b : bytes) {
    narrow = __builtin_ia32_crc32qi(narrow, std::to_integer<unsigned char>(b));
  }
  return ~narrow;
}
#endif

}  // namespace

std::uint32_t crc32c_by_tables(std::uint32_t sum, std::span<const std::byte> bytes) noexcept {
  sum = ~sum;
  while (bytes.size() >= 8) {
    const std::uint64_t word = little_word(bytes.data()) ^ sum;
    sum = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      sum ^= k_tables[7 - k][(word >> (8 * k)) & 0xFFU];
    }
    bytes = bytes.subspan(8);
  }
  for (const std::byte b : bytes) {
    sum = (sum >> 8U) ^ k_tables[0][(sum ^ std::to_integer<std::uint32_t>(b)) & 0xFFU];
  }
  return ~sum;
}

std::uint32_t crc32c(std::uint32_t sum, std::span<const std::byte> bytes) noexcept {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) {
    return by_instruction(sum, bytes);
  }
#endif
  return crc32c_by_tables(sum, bytes);
}

}  // namespace tactus::detail
