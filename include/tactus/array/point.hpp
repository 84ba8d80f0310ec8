// SPDX-License-Identifier: Apache-2.0
// Points of index spaces with one to many axes.
#pragma once

#include <tactus/base/impl/platform.hpp>

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

namespace tactus {

/// An index along one axis, and a difference of such.
/// Errors: none.
/// \snippet 19_regions.cpp point
/// \ingroup arrays
using index_t = std::ptrdiff_t;

/// A point of an index space with N axes, or a difference of such points. Axis 0 is the slowest in memory, axis N - 1 has unit stride.
/// A value, N words long; travels.
/// ghost-regions.txt, section II.
/// Errors: none; sums may not overflow.
/// \snippet 19_regions.cpp point
/// \ingroup arrays
template <std::size_t N>
class point {
  static_assert(N >= 1, "a point has one axis at least");

public:
  /// The origin.
  constexpr point() noexcept = default;

  /// Of as many integers as there are axes, of any integral types; where there is one axis, explicit.
  template <std::integral... I>
    requires(sizeof...(I) == N)
  constexpr explicit(N == 1) point(I... i) noexcept : at_{static_cast<index_t>(i)...} {}

  /// The same value along all axes.
  [[nodiscard]] static constexpr point all(index_t value) noexcept {
    return of_axes([value](std::size_t) { return value; });
  }

  /// `value` along one axis, and 0 along the others.
  [[nodiscard]] static constexpr point unit(std::size_t axis, index_t value = 1) noexcept {
    return of_axes([axis, value](std::size_t d) { return d == axis ? value : 0; });
  }

  /// Along one axis, which is less than N.
  [[nodiscard]] constexpr index_t& operator[](std::size_t axis) noexcept { return at_[axis]; }

  /// The same.
  [[nodiscard]] constexpr index_t operator[](std::size_t axis) const noexcept { return at_[axis]; }

  /// Of one axis: is an index.
  constexpr operator index_t() const noexcept  // NOLINT(google-explicit-constructor): an index of one axis is one
    requires(N == 1)
  {
    return at_[0];
  }

  // Index by index, not in loops: compilers then keep them in registers.
  [[nodiscard]] TACTUS_ALWAYS_INLINE friend constexpr point operator+(const point& a, const point& b) noexcept {
    return of_axes([&](std::size_t d) { return a.at_[d] + b.at_[d]; });
  }
  [[nodiscard]] TACTUS_ALWAYS_INLINE friend constexpr point operator-(const point& a, const point& b) noexcept {
    return of_axes([&](std::size_t d) { return a.at_[d] - b.at_[d]; });
  }
  [[nodiscard]] TACTUS_ALWAYS_INLINE friend constexpr point operator-(const point& a) noexcept {
    return of_axes([&](std::size_t d) { return -a.at_[d]; });
  }

  constexpr point& operator+=(const point& other) noexcept { return *this = *this + other; }  ///< adds along each axis
  constexpr point& operator-=(const point& other) noexcept { return *this = *this - other; }  ///< subtracts

  /// Lexicographic: the order of elements in memory.
  [[nodiscard]] friend constexpr auto operator<=>(const point& a, const point& b) noexcept {
    for (std::size_t d = 0; d + 1 < N; ++d) {
      if (a.at_[d] != b.at_[d]) {
        return a.at_[d] <=> b.at_[d];
      }
    }
    return a.at_[N - 1] <=> b.at_[N - 1];
  }
  [[nodiscard]] friend constexpr bool operator==(const point& a, const point& b) noexcept = default;

  /// How it travels.
  template <class Archive>
  void serialize(Archive& ar) {
    for (index_t& i : at_) {
      ar & i;
    }
  }

private:
  template <class F>
  TACTUS_ALWAYS_INLINE static constexpr point of_axes(F f) noexcept {
    return [&]<std::size_t... D>(std::index_sequence<D...>)
               __attribute__((always_inline)) { return point(f(D)...); }(std::make_index_sequence<N>());
  }

  std::array<index_t, N> at_{};
};

/// "(1,2,3)".
/// Errors: std::bad_alloc.
/// \snippet 19_regions.cpp point
/// \ingroup arrays
template <std::size_t N>
[[nodiscard]] std::string to_string(const point<N>& p) {
  std::string text = "(";
  for (std::size_t d = 0; d < N; ++d) {
    text += (d == 0 ? "" : ",") + std::to_string(p[d]);
  }
  return text + ")";
}

#ifndef DOXYGEN
template <std::integral... I>
point(I...) -> point<sizeof...(I)>;
#endif

}  // namespace tactus
