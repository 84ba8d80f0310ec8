// SPDX-License-Identifier: Apache-2.0
#include "simulator/sha1.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace simulator {
namespace {

constexpr std::size_t k_block = 64;

std::array<std::uint32_t, 80> schedule_of(const std::array<std::uint8_t, k_block>& block) {
  std::array<std::uint32_t, 80> words{};
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t b = 0; b < 4; ++b) words[i] = words[i] << 8 | block[4 * i + b];
  }
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  return words;
}

}  // namespace

digest sha1(std::span<const std::uint8_t> message) {
  std::array<std::uint8_t, k_block> block{};
  std::ranges::copy(message, block.begin());
  block[message.size()] = 0x80;
  const std::size_t bits = 8 * message.size();
  block[k_block - 2] = static_cast<std::uint8_t>(bits >> 8);
  block[k_block - 1] = static_cast<std::uint8_t>(bits);

  const std::array<std::uint32_t, 5> start{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  auto [a, b, c, d, e] = start;
  const auto round = [&](std::uint32_t mixed, std::uint32_t constant, std::uint32_t word) {
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + constant + word;
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  };
  const std::array<std::uint32_t, 80> w = schedule_of(block);
  for (std::size_t i = 0; i < 20; ++i) round((b & c) | (~b & d), 0x5A827999, w[i]);
  for (std::size_t i = 20; i < 40; ++i) round(b ^ c ^ d, 0x6ED9EBA1, w[i]);
  for (std::size_t i = 40; i < 60; ++i) round((b & c) | (b & d) | (c & d), 0x8F1BBCDC, w[i]);
  for (std::size_t i = 60; i < 80; ++i) round(b ^ c ^ d, 0xCA62C1D6, w[i]);

  const std::array<std::uint32_t, 5> end{start[0] + a, start[1] + b, start[2] + c, start[3] + d, start[4] + e};
  digest result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::uint8_t>(end[i / 4] >> (24 - 8 * (i % 4)));
  return result;
}

}  // namespace simulator
