// SPDX-License-Identifier: Apache-2.0
// How an accumulator combines what tasks send. One meaning, several costs.
#pragma once

#include <tactus/base/impl/atomic.hpp>

#include <cstddef>
#include <cstdint>

namespace tactus {

namespace detail {
enum class strategy_kind : std::uint8_t {
  eager,
  eager_with_delay,
  dynamic_lazy,
  fixed_lazy,
  tree,
  per_worker,
  automatic
};
}  // namespace detail

/// How the pause after a failed compare-and-swap grows with the number of failures in a row.
/// Errors: none.
/// Source: phaser-accumulators.txt, section 4.1.
/// \snippet reference.cpp delay_function
/// \ingroup accumulators
enum class delay_function : std::uint8_t {
  random,       ///< base + coef * r, with r in [0, 1) anew each time
  linear,       ///< base + coef * failures
  exponential,  ///< base + coef * 2 ^ failures, the exponent at most 10
  constant,     ///< base + coef
};

/// How an accumulator combines what tasks send. All strategies have one meaning, but for the order in which they combine.
/// Errors: none.
/// Source: phaser-accumulators.txt, sections 3 and 4.
/// \snippet 12_accumulators.cpp accumulator
/// \ingroup accumulators
class strategy {
public:
  /// Each send combines with the one shared value, by compare-and-swap; by a lock where the type has none.
  static const strategy eager;

  /// The same with a pause after each failure. eager_with_delay is random with the paper's BASE 50 and COEF 100, in pauses of the
  /// processor (20 to 40 ns each on x86, where the paper counts turns of a loop); eager_with_delay(f, base, coef) chooses.
  static const strategy eager_with_delay;

  /// Each task keeps a cell of its own, and whoever completes the phase combines them in the order of registration. Some phases after a
  /// task has ended its cell is another's.
  static const strategy dynamic_lazy;

  /// The same with cells for `n` tasks that lie side by side; more tasks get cells as under dynamic_lazy.
  static constexpr strategy fixed_lazy(std::size_t n) noexcept {
    return strategy(detail::strategy_kind::fixed_lazy, n);
  }

  /// Cells, combined by halves: a shape that depends on which tasks send in the phase alone, in which rounding errors grow with the
  /// logarithm of their number.
  static const strategy tree;

  /// Each worker combines what its tasks send. The least work; the order depends on where tasks run.
  static const strategy per_worker;

  /// The library chooses, and accumulator::chosen() tells.
  static const strategy automatic;

  /// This one as eager_with_delay, with pauses that f, base and coef describe.
  constexpr strategy operator()(delay_function f, std::uint32_t base, std::uint32_t coef) const noexcept {
    strategy s(detail::strategy_kind::eager_with_delay);
    s.function_ = f;
    s.base_ = base;
    s.coef_ = coef;
    return s;
  }

  /// Which one it is; for the library.
  [[nodiscard]] constexpr detail::strategy_kind kind() const noexcept { return kind_; }

  /// Of fixed_lazy, n.
  [[nodiscard]] constexpr std::size_t cells() const noexcept { return cells_; }

  /// Of eager_with_delay, how pauses grow.
  [[nodiscard]] constexpr delay_function function() const noexcept { return function_; }

  /// Of eager_with_delay, BASE.
  [[nodiscard]] constexpr std::uint32_t base() const noexcept { return base_; }

  /// Of eager_with_delay, COEF.
  [[nodiscard]] constexpr std::uint32_t coef() const noexcept { return coef_; }

  /// Whether all of that is equal.
  friend constexpr bool operator==(const strategy&, const strategy&) = default;

private:
  constexpr explicit strategy(detail::strategy_kind k, std::size_t n = 0) noexcept : kind_(k), cells_(n) {}

  detail::strategy_kind kind_;
  std::size_t cells_;
  delay_function function_ = delay_function::random;
  std::uint32_t base_ = 50;
  std::uint32_t coef_ = 100;
};

inline constexpr strategy strategy::eager{detail::strategy_kind::eager};
inline constexpr strategy strategy::eager_with_delay{detail::strategy_kind::eager_with_delay};
inline constexpr strategy strategy::dynamic_lazy{detail::strategy_kind::dynamic_lazy};
inline constexpr strategy strategy::tree{detail::strategy_kind::tree};
inline constexpr strategy strategy::per_worker{detail::strategy_kind::per_worker};
inline constexpr strategy strategy::automatic{detail::strategy_kind::automatic};

namespace detail {

/// The pauses of one send.
class delay_between_tries {
public:
  explicit delay_between_tries(const strategy& s) noexcept : strategy_(s) {}

  void once() noexcept {
    for (std::uint64_t left = turns_after_failure(); left != 0; --left) {
      cpu_relax();
    }
  }

  /// How long the pause is after one more failure; 0 without delay.
  [[nodiscard]] std::uint64_t turns_after_failure() noexcept {
    if (strategy_.kind() != strategy_kind::eager_with_delay) {
      return 0;
    }
    ++failures_;
    return turns();
  }

private:
  [[nodiscard]] std::uint64_t turns() noexcept {
    const std::uint64_t coef = strategy_.coef();
    switch (strategy_.function()) {
      case delay_function::linear: return strategy_.base() + coef * failures_;
      case delay_function::exponential: return strategy_.base() + (coef << (failures_ < 10 ? failures_ : 10));
      case delay_function::constant: return strategy_.base() + coef;
      case delay_function::random: break;
    }
    // Anything that differs from task to task will do.
    state_ = (state_ + reinterpret_cast<std::uintptr_t>(this)) * 6364136223846793005U + 1442695040888963407U;
    return strategy_.base() + coef * (state_ >> 40U & 1023U) / 1024;
  }

  const strategy strategy_;
  std::uint64_t failures_ = 0;
  std::uint64_t state_ = 0;
};

}  // namespace detail
}  // namespace tactus
