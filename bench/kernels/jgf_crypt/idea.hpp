// SPDX-License-Identifier: Apache-2.0
// The cipher IDEA as the Java Grande Forum's suite has it: blocks of four 16-bit words, the lower byte of each first; a key
// of 128 bits, eight rounds and an output transformation. It is IDEA but for two things: in products, which are modulo
// 2^16 + 1, a word 0 is 0 and not 2^16; and subkeys come of turning the key to the right, its first word being the lowest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bench::idea {

inline constexpr std::size_t k_rounds = 8;
inline constexpr std::size_t k_keys_of_round = 6;
inline constexpr std::size_t k_block_bytes = 8;

using user_key = std::array<std::uint32_t, 8>;                              // 16 bits each
using subkeys = std::array<std::uint32_t, k_rounds * k_keys_of_round + 4>;  // 16 bits each

inline std::uint32_t low_word(std::uint32_t x) { return x & 0xFFFF; }

inline std::uint32_t product(std::uint32_t a, std::uint32_t b) { return low_word(a * b % 0x10001); }

/// The key itself, then the key turned by 25 bits, and again, as often as it takes.
inline subkeys encryption_keys(const user_key& key) {
  subkeys keys{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t before = i - i % 8 - 8;  // where the eight words that are turned begin
    const auto word = [&keys, before, i](std::size_t ahead) { return keys[before + (i + ahead) % 8]; };
    keys[i] = i < 8 ? key[i] : low_word(word(1) >> 9 | word(2) << 7);
  }
  return keys;
}

/// What undoes a product: by x^(2^16 - 1), for 2^16 + 1 is a prime.
inline std::uint32_t inverse(std::uint32_t x) {
  std::uint64_t power = 1;
  for (int bit = 0; bit < 16; ++bit) power = power * power % 0x10001 * x % 0x10001;
  return static_cast<std::uint32_t>(power);
}

/// The rounds backwards. Between rounds the two middle words have changed places.
inline subkeys decryption_keys(const subkeys& keys) {
  subkeys undo{};
  for (std::size_t round = 0; round <= k_rounds; ++round) {
    const std::uint32_t* const done = keys.data() + (k_rounds - round) * k_keys_of_round;
    std::uint32_t* const own = undo.data() + round * k_keys_of_round;
    const bool is_inner = round != 0 && round != k_rounds;
    own[0] = inverse(done[0]);
    own[1] = low_word(-done[is_inner ? 2 : 1]);
    own[2] = low_word(-done[is_inner ? 1 : 2]);
    own[3] = inverse(done[3]);
    if (round == k_rounds) break;
    const std::uint32_t* const done_before = done - k_keys_of_round;
    own[4] = done_before[4];
    own[5] = done_before[5];
  }
  return undo;
}

/// One block, enciphered or deciphered, as the keys are.
inline void apply(const subkeys& keys, const std::uint8_t* in, std::uint8_t* out) {
  const auto word = [in](std::size_t i) {
    return static_cast<std::uint32_t>(in[2 * i]) | static_cast<std::uint32_t>(in[2 * i + 1]) << 8;
  };
  std::array<std::uint32_t, 4> x{word(0), word(1), word(2), word(3)};
  const std::uint32_t* key = keys.data();
  for (std::size_t round = 0; round < k_rounds; ++round, key += k_keys_of_round) {
    x = {product(x[0], key[0]), low_word(x[1] + key[1]), low_word(x[2] + key[2]), product(x[3], key[3])};
    const std::uint32_t left = product(x[0] ^ x[2], key[4]);
    const std::uint32_t right = product(low_word(left + (x[1] ^ x[3])), key[5]);
    const std::uint32_t both = low_word(left + right);
    x = {x[0] ^ right, x[2] ^ right, x[1] ^ both, x[3] ^ both};
  }
  x = {product(x[0], key[0]), low_word(x[2] + key[1]), low_word(x[1] + key[2]), product(x[3], key[3])};
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[2 * i] = static_cast<std::uint8_t>(x[i]);
    out[2 * i + 1] = static_cast<std::uint8_t>(x[i] >> 8);
  }
}

}  // namespace bench::idea
