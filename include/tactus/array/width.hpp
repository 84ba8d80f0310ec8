// SPDX-License-Identifier: Apache-2.0
// Values of each axis, and how wide something is on both sides of one.
#pragma once

#include <tactus/array/point.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/impl/algorithms.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>

namespace tactus {

/// How many cells, on the lower and on the upper side of an axis. `2` is two on both.
/// Errors: none.
/// \snippet 19_regions.cpp widths
/// \ingroup arrays
struct width {
  index_t lower = 0;  ///< at the side of small indices
  index_t upper = 0;  ///< at the other one

  /// None.
  constexpr width() noexcept = default;

  /// The same on both sides.
  constexpr width(std::integral auto both) noexcept  // NOLINT(google-explicit-constructor): as it is said
      : lower(static_cast<index_t>(both)), upper(static_cast<index_t>(both)) {}

  /// So many below, and so many above.
  constexpr width(std::integral auto low, std::integral auto high) noexcept
      : lower(static_cast<index_t>(low)), upper(static_cast<index_t>(high)) {}

  [[nodiscard]] friend constexpr bool operator==(const width&, const width&) noexcept = default;
};

/// A value for each of N axes. From one value, which is that of all, or from a list with one for each: another number of them is a
/// usage_error.
/// Errors: usage_error for a list of another length; what copies of V throw.
/// \snippet 19_regions.cpp widths
/// \ingroup arrays
template <class V, std::size_t N>
class per_axis {
public:
  /// V{} for all.
  constexpr per_axis() : per_axis(V{}) {}

  /// The same for all.
  constexpr per_axis(const V& all) { at_.fill(all); }  // NOLINT(google-explicit-constructor): one value is that of all

  /// From what a V can be made of.
  template <class U>
    requires(std::convertible_to<U, V> && !std::same_as<U, V> && !std::same_as<U, per_axis>)
  constexpr per_axis(const U& all) : per_axis(static_cast<V>(all)) {}  // NOLINT(google-explicit-constructor): as above

  /// One for all, or one for each. usage_error.
  constexpr per_axis(std::initializer_list<V> each) {
    if (each.size() == 1) {
      at_.fill(*each.begin());
    } else if (each.size() == N) {
      std::copy(each.begin(), each.end(), at_.begin());
    } else {
      throw usage_error("tactus: " + std::to_string(each.size()) + " values were given for " + std::to_string(N) +
                        " axes; give one, or one for each axis");
    }
  }

  [[nodiscard]] constexpr const V& operator[](std::size_t axis) const noexcept { return at_[axis]; }  ///< of one axis
  [[nodiscard]] constexpr V& operator[](std::size_t axis) noexcept { return at_[axis]; }              ///< the same
  [[nodiscard]] friend constexpr bool operator==(const per_axis&, const per_axis&) = default;

private:
  std::array<V, N> at_{};
};

/// How many cells on each side of each axis: `1`, `{1, 1, 0}`, or `{{1, 0}, {2, 1}, {0, 0}}`; one side on every axis is `{{1, 0}}` or
/// `width(1, 0)`.
/// Errors: those of per_axis.
/// \snippet 19_regions.cpp widths
/// \ingroup arrays
template <std::size_t N>
using widths = per_axis<width, N>;

}  // namespace tactus
