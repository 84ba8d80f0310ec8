// SPDX-License-Identifier: Apache-2.0
// For tests of the floating-point environment: what a thread does with numbers, seen and set.
#pragma once

#include <cfenv>
#include <cstdint>
#include <limits>

namespace support {

enum class rounding : std::uint8_t { nearest, up, down, to_zero };

/// How the thread rounds, found by computing: of doubles.
inline rounding rounded() {
  const volatile double one = 1;
  const volatile double little = std::numeric_limits<double>::epsilon() / 4;
  const double above = one + little;
  const double below = -one - little;
  if (above > 1) return rounding::up;
  if (below < -1) return rounding::down;
  const volatile double much = std::numeric_limits<double>::epsilon() * 0.75;
  return one + much > 1 ? rounding::nearest : rounding::to_zero;
}

/// The same by the number that <cfenv> has for it; -1 if doubles and <cfenv> disagree.
inline int rounds() {
  const int mode = std::fegetround();
  const rounding seen = rounded();
  const bool agree = mode == FE_TONEAREST  ? seen == rounding::nearest
                     : mode == FE_UPWARD   ? seen == rounding::up
                     : mode == FE_DOWNWARD ? seen == rounding::down
                                           : seen == rounding::to_zero;
  return agree ? mode : -1;
}

/// The k-th way to round, cyclically.
inline int way_to_round(std::uint64_t k) {
  constexpr int k_ways[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  return k_ways[k % 4];
}

#if defined(__x86_64__)

inline std::uint32_t mxcsr() {
  std::uint32_t value;
  asm volatile("stmxcsr %0" : "=m"(value));
  return value;
}
inline void flush_to_zero() {
  const std::uint32_t value = mxcsr() | 0x8040U;
  asm volatile("ldmxcsr %0" : : "m"(value));
}
inline bool flushes_to_zero() { return (mxcsr() & 0x8040U) != 0; }

inline unsigned x87_control() {
  std::uint16_t value;
  asm volatile("fnstcw %0" : "=m"(value));
  return value;
}
inline void set_x87_control(unsigned control) {
  const auto value = static_cast<std::uint16_t>(control);
  asm volatile("fldcw %0" : : "m"(value));
}

#elif defined(__aarch64__)

inline std::uint64_t fpcr() {
  std::uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
inline void flush_to_zero() { asm volatile("msr fpcr, %0" : : "r"(fpcr() | (std::uint64_t{1} << 24))); }
inline bool flushes_to_zero() { return (fpcr() & (std::uint64_t{1} << 24)) != 0; }

#endif

/// Gives the thread the environment back that it has now.
class floats_restored {
public:
  floats_restored() { std::fegetenv(&before_); }
  ~floats_restored() { std::fesetenv(&before_); }
  floats_restored(const floats_restored&) = delete;
  floats_restored& operator=(const floats_restored&) = delete;

private:
  std::fenv_t before_;
};

}  // namespace support
