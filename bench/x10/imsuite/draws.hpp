// SPDX-License-Identifier: Apache-2.0
// Random draws of one node, from a generator seeded with the node's index: independent of the order in which tasks run.
//
// It is the generator of Steele, Lea and Flood (Fast splittable pseudorandom number generators, OOPSLA 2014) with the
// finaliser of MurmurHash3 and the golden ratio as increment. X10 2.6 has the same one, so MIS and DS draw what the
// published programs drew, and figure 14 can be compared figure by figure. (<tactus/base/impl/rng.hpp> mixes otherwise.)
#pragma once

#include <cstdint>

namespace bench::imsuite {

class draws {
public:
  explicit constexpr draws(std::uint64_t seed) : counter_(seed) {}

  /// 64 random bits.
  constexpr std::uint64_t bits() {
    counter_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = counter_;
    mixed = (mixed ^ (mixed >> 33)) * 0xFF51AFD7ED558CCDU;
    mixed = (mixed ^ (mixed >> 33)) * 0xC4CEB9FE1A85EC53U;
    return mixed ^ (mixed >> 33);
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  constexpr double fraction() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  /// 0 or 1.
  constexpr std::uint8_t bit() { return static_cast<std::uint8_t>(bits() & 1); }

private:
  std::uint64_t counter_;
};

}  // namespace bench::imsuite
