// SPDX-License-Identifier: Apache-2.0
// A small seeded random number generator: victims of steals, the seeded scheduler, random tests.
// Equal seeds give equal sequences on every machine and compiler; not for secrets.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace tactus::detail {

/// The splitmix64 step (Steele, Lea, Flood 2014): a counter advanced by the golden ratio, its value mixed.
/// Good for turning one seed into many: neighbouring seeds give unrelated outputs.
constexpr std::uint64_t splitmix64(std::uint64_t& state) noexcept {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

/// xoshiro256** (Blackman, Vigna 2018), 32 bytes of state, about a nanosecond a draw.
/// A UniformRandomBitGenerator; but std distributions differ between libraries, so use below() and chance().
/// One thread at a time.
class rng {
public:
  using result_type = std::uint64_t;

  /// Any seed will do, 0 as well: it is spread over the state by splitmix64, which never yields the all-zero state.
  explicit constexpr rng(std::uint64_t seed) noexcept {
    for (auto& word : words_) {
      word = splitmix64(seed);
    }
  }

  /// The generator of stream `number` under `seed`, one for each worker or test: unrelated to its neighbours.
  constexpr rng(std::uint64_t seed, std::uint64_t number) noexcept : rng(mix(seed, number)) {}

  /// Goes on from a state, of which at least one word is not 0.
  explicit constexpr rng(const std::array<std::uint64_t, 4>& state) noexcept : words_(state) {}

  [[nodiscard]] constexpr const std::array<std::uint64_t, 4>& state() const noexcept { return words_; }

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }

  constexpr result_type operator()() noexcept {
    const std::uint64_t result = std::rotl(words_[1] * 5, 7) * 9;
    const std::uint64_t shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = std::rotl(words_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), without bias; bound 0 counts as 1. A multiplication in place of a division (Lemire 2019);
  /// draws again only with probability below bound / 2^64.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    if (bound < 2) {
      return 0;
    }
    wide product = static_cast<wide>((*this)()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t excess =
          (0 - bound) % bound;  // 2^64 mod bound: as many low values would be drawn once too often
      while (static_cast<std::uint64_t>(product) < excess) {
        product = static_cast<wide>((*this)()) * bound;
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// True `times` times out of `out_of`.
  constexpr bool chance(std::uint64_t times, std::uint64_t out_of) noexcept { return below(out_of) < times; }

  friend constexpr bool operator==(const rng&, const rng&) = default;

private:
  __extension__ using wide = unsigned __int128;

  static constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t number) noexcept {
    std::uint64_t state = splitmix64(seed) + number;
    return splitmix64(state);
  }

  std::array<std::uint64_t, 4> words_{};
};

}  // namespace tactus::detail
