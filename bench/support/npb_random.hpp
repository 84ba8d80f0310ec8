// SPDX-License-Identifier: Apache-2.0
// The random numbers of the NAS Parallel Benchmarks, which fix the inputs of all its programs.
#pragma once

#include <cstdint>

namespace bench {

/// x = 5^13 x mod 2^46, of which x / 2^46 is given.
class npb_random_numbers {
public:
  double next() {
    state_ = (state_ * k_factor) & k_mask;
    return static_cast<double>(state_) * 0x1p-46;
  }

private:
  static constexpr std::uint64_t k_factor = 1'220'703'125;
  static constexpr std::uint64_t k_mask = (std::uint64_t{1} << 46) - 1;
  std::uint64_t state_ = 314'159'265;
};

}  // namespace bench
