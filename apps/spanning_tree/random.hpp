// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same everywhere: the standard library's distributions differ between its versions.
#pragma once

#include <cstdint>

namespace spanning {

/// SplitMix64 (Steele, Lea and Flood, 2014): every seed gives a sequence of its own, of period 2^64.
class random_source {
public:
  explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9e37'79b9'7f4a'7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, bound), bound >= 1. Multiplies a 64-bit number by a bound of at most 32 bits, so that no value is
  /// favoured by more than one part in 2^32.
  std::uint32_t below(std::uint32_t bound) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint32_t>((static_cast<wide>(next()) * bound) >> 64);
  }

private:
  std::uint64_t state_;
};

}  // namespace spanning
