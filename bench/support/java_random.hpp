// SPDX-License-Identifier: Apache-2.0
// java.util.Random as its documentation fixes it, for inputs that the Java Grande Forum's programs draw with it:
// x = 0x5DEECE66D x + 11 mod 2^48, of which the upper bits are given.
#pragma once

#include <cmath>
#include <cstdint>

namespace bench {

class java_random {
public:
  explicit java_random(std::int64_t seed) : state_((static_cast<std::uint64_t>(seed) ^ k_factor) & k_mask) {}

  /// The uppermost `bits` of the next state, 1 to 32, as Java's int: 32 of them may be negative.
  std::int32_t next(int bits) {
    state_ = (state_ * k_factor + k_summand) & k_mask;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(state_ >> (k_state_bits - bits)));
  }

  std::int32_t next_int() { return next(32); }

  /// In [0, 1), of 26 and 27 bits.
  double next_double() {
    const std::int64_t upper = next(26);
    return static_cast<double>((upper << 27) + next(27)) * 0x1p-53;
  }

  /// Of mean 0 and deviation 1, by the polar method: it makes them in pairs. Java fixes the logarithm as well; that of the
  /// C library may change the last digit.
  double next_gaussian() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    double x = 0;
    double y = 0;
    double square = 0;
    do {
      x = 2 * next_double() - 1;
      y = 2 * next_double() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double scale = std::sqrt(-2 * std::log(square) / square);
    second_ = y * scale;
    has_second_ = true;
    return x * scale;
  }

private:
  static constexpr std::uint64_t k_factor = 0x5DEECE66D;
  static constexpr std::uint64_t k_summand = 11;
  static constexpr int k_state_bits = 48;
  static constexpr std::uint64_t k_mask = (std::uint64_t{1} << k_state_bits) - 1;

  std::uint64_t state_;
  double second_ = 0;
  bool has_second_ = false;
};

}  // namespace bench
