// SPDX-License-Identifier: Apache-2.0
// splitmix64: the same numbers from the same seed on every machine.
#pragma once

#include <cstdint>

namespace bench {

class random_numbers {
public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, n) for n < 2^32; a number is favoured by less than n / 2^32.
  std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32); }

private:
  std::uint64_t state_;
};

}  // namespace bench
