// SPDX-License-Identifier: Apache-2.0
// The random numbers that a node of a UTS tree carries: 31 bits, and a state for each child that follows from its number.
#pragma once

#include <array>
#include <cstdint>

namespace bench {

constexpr std::uint32_t k_uts_random_limit = std::uint32_t{1} << 31;

/// UTS's own: a chain of SHA-1 digests, so that a tree is the published one, node by node. Most of a node's time is its.
class sha1_random {
public:
  static sha1_random seeded(std::uint32_t seed);

  [[nodiscard]] sha1_random split(std::uint32_t child) const;

  [[nodiscard]] std::uint32_t value() const {
    const auto byte = [this](std::size_t i) { return std::uint32_t{digest_[i]}; };
    return (byte(16) << 24 | byte(17) << 16 | byte(18) << 8 | byte(19)) & (k_uts_random_limit - 1);
  }

private:
  std::array<std::uint8_t, 20> digest_{};
};

/// The same by a few multiplications (the finaliser of splitmix64), so that spawning is what is measured.
class mixed_random {
public:
  static mixed_random seeded(std::uint32_t seed) { return mixed_random(mix(seed)); }

  [[nodiscard]] mixed_random split(std::uint32_t child) const {
    return mixed_random(mix(state_ + (child + 1) * k_golden_ratio));
  }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(state_ >> 33); }

private:
  static constexpr std::uint64_t k_golden_ratio = 0x9e3779b97f4a7c15;

  explicit mixed_random(std::uint64_t state) : state_(state) {}

  static std::uint64_t mix(std::uint64_t x) {
    x += k_golden_ratio;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

}  // namespace bench
