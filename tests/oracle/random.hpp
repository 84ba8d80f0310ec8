// SPDX-License-Identifier: Apache-2.0
// The oracle's own random numbers: a program is a pure function of its seed, on every machine and library.
#pragma once

#include <cstdint>

namespace oracle {

/// Spreads the bits of x over the whole word; a bijection (the splitmix64 finaliser).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Combines two words; mix(a, b) differs from mix(b, a).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept { return mix(mix(a) + b); }

/// A splitmix64 stream.
class random_stream {
public:
  explicit random_stream(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept { return mix(state_ += 0x632be59bd9b4e019u); }

  /// Uniform in [0, n); n > 0. The bias of the multiplication (n / 2^32) does not matter here.
  unsigned below(unsigned n) noexcept {
    return static_cast<unsigned>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }

  /// Uniform in [low, high].
  unsigned between(unsigned low, unsigned high) noexcept { return low + below(high - low + 1); }

  /// True in `percent` of the calls.
  bool chance(unsigned percent) noexcept { return below(100) < percent; }

private:
  std::uint64_t state_;
};

}  // namespace oracle
