// SPDX-License-Identifier: Apache-2.0
// Boxes: half-open ranges of indices along each axis.
#pragma once

#include <tactus/array/point.hpp>
#include <tactus/array/width.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/base/impl/platform.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace tactus {

namespace detail {

/// a + b, or the index next to it that there is.
[[nodiscard]] constexpr index_t sum_or_nearest(index_t a, index_t b) noexcept {
  index_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return b < 0 ? std::numeric_limits<index_t>::min() : std::numeric_limits<index_t>::max();
  }
  return sum;
}

/// a - b, the same.
[[nodiscard]] constexpr index_t difference_or_nearest(index_t a, index_t b) noexcept {
  index_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) {
    return b > 0 ? std::numeric_limits<index_t>::min() : std::numeric_limits<index_t>::max();
  }
  return difference;
}

}  // namespace detail

/// All points p with lo <= p < hi along each axis, as range(lo, hi) is along one. A value of 2N words that travels; hi below lo is
/// empty, and empty boxes are equal. What would lie beyond the largest or the smallest index ends there, but where a box is moved: sums of
/// points may not overflow.
/// ghost-regions.txt, section II.
/// Errors: usage_error of size().
/// \snippet 19_regions.cpp box
/// \ingroup arrays
template <std::size_t N>
struct box {
  point<N> lo;  ///< the lowest point
  point<N> hi;  ///< one behind the highest along each axis

  /// How many indices there are along one axis; the largest index, where there are more than that.
  [[nodiscard]] constexpr index_t extent(std::size_t axis) const noexcept {
    return hi[axis] > lo[axis] ? detail::difference_or_nearest(hi[axis], lo[axis]) : 0;
  }

  /// How many points. usage_error where that is more than a pointer difference can say.
  [[nodiscard]] constexpr std::size_t size() const {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<index_t>::max());
    std::size_t points = 1;
    if (empty()) {
      return 0;
    }
    for (std::size_t d = 0; d < N; ++d) {
      const std::size_t along = static_cast<std::size_t>(hi[d]) - static_cast<std::size_t>(lo[d]);
      if (along > most / points) {
        throw usage_error("tactus: the box " + to_string(*this) +
                          " has more points than can be counted; make it smaller");
      }
      points *= along;
    }
    return points;
  }

  /// Whether there is no point.
  [[nodiscard]] constexpr bool empty() const noexcept {
    for (std::size_t d = 0; d < N; ++d) {
      if (hi[d] <= lo[d]) {
        return true;
      }
    }
    return false;
  }

  /// Whether p is one of its points.
  [[nodiscard]] constexpr bool contains(const point<N>& p) const noexcept {
    for (std::size_t d = 0; d < N; ++d) {
      if (p[d] < lo[d] || p[d] >= hi[d]) {
        return false;
      }
    }
    return true;
  }

  /// Whether all points of the other are.
  [[nodiscard]] constexpr bool contains(const box& other) const noexcept {
    return other.empty() || (*this & other) == other;
  }

  /// Grown by these widths.
  [[nodiscard]] constexpr box halo(const widths<N>& w) const noexcept {
    box b = *this;
    for (std::size_t d = 0; d < N; ++d) {
      b.lo[d] = detail::difference_or_nearest(b.lo[d], w[d].lower);
      b.hi[d] = detail::sum_or_nearest(b.hi[d], w[d].upper);
    }
    return b;
  }

  /// Shrunk by these widths; empty where nothing is left.
  [[nodiscard]] constexpr box inner(const widths<N>& w) const noexcept {
    box b = *this;
    for (std::size_t d = 0; d < N; ++d) {
      b.lo[d] = detail::sum_or_nearest(b.lo[d], w[d].lower);
      b.hi[d] = std::max(detail::difference_or_nearest(b.hi[d], w[d].upper), b.lo[d]);
    }
    return b;
  }

  /// The outermost layers on one side of an axis, inside of the box.
  /// \param axis less than N
  /// \param side 0: the lower one; 1: the upper one
  /// \param w how many layers; all of the box where it has fewer
  [[nodiscard]] constexpr box face(std::size_t axis, int side, index_t w = 1) const noexcept {
    box b = *this;
    if (side <= 0) {
      b.hi[axis] = std::min(b.hi[axis], detail::sum_or_nearest(b.lo[axis], w));
    } else {
      b.lo[axis] = std::max(b.lo[axis], detail::difference_or_nearest(b.hi[axis], w));
    }
    return b;
  }

  /// The points of both.
  [[nodiscard]] friend constexpr box operator&(box a, const box& b) noexcept {
    for (std::size_t d = 0; d < N; ++d) {
      a.lo[d] = std::max(a.lo[d], b.lo[d]);
      a.hi[d] = std::min(a.hi[d], b.hi[d]);
    }
    return a;
  }

  /// Moved by v.
  [[nodiscard]] friend constexpr box operator+(const box& b, const point<N>& v) noexcept {
    return {b.lo + v, b.hi + v};
  }
  [[nodiscard]] friend constexpr box operator-(const box& b, const point<N>& v) noexcept {
    return {b.lo - v, b.hi - v};
  }

  /// All pairs: the axes of the one, then those of the other.
  template <std::size_t M>
  [[nodiscard]] friend constexpr box<N + M> operator*(const box& a, const box<M>& b) noexcept {
    box<N + M> c;
    for (std::size_t d = 0; d < N; ++d) {
      c.lo[d] = a.lo[d];
      c.hi[d] = a.hi[d];
    }
    for (std::size_t d = 0; d < M; ++d) {
      c.lo[N + d] = b.lo[d];
      c.hi[N + d] = b.hi[d];
    }
    return c;
  }

  /// The same points.
  [[nodiscard]] friend constexpr bool operator==(const box& a, const box& b) noexcept {
    return (a.empty() && b.empty()) || (a.lo == b.lo && a.hi == b.hi);
  }

  /// Calls f(point) or f(i, j, ...) for each point, the last axis fastest, as N nested loops: what compilers make of these, they make of
  /// this. Range-for is for where that does not matter.
  template <class F>
  TACTUS_ALWAYS_INLINE constexpr void each(F&& f) const {
    each_along(f);
  }

#ifdef DOXYGEN
  /// Goes over the points in their order.
  using iterator = implementation_defined;
#else
  class iterator {
  public:
    using value_type = point<N>;
    using difference_type = index_t;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;
    using reference = point<N>;
    using pointer = void;

    constexpr iterator() noexcept = default;
    [[nodiscard]] constexpr point<N> operator*() const noexcept { return at_; }
    constexpr iterator& operator++() noexcept {
      for (std::size_t d = N; d-- > 1;) {
        if (++at_[d] < of_.hi[d]) {
          return *this;
        }
        at_[d] = of_.lo[d];
      }
      ++at_[0];
      return *this;
    }
    constexpr iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    [[nodiscard]] friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.at_ == b.at_;
    }

  private:
    friend struct box;
    constexpr iterator(const box& of, const point<N>& first) noexcept : of_(of), at_(first) {}
    box of_{};
    point<N> at_{};
  };
#endif

  /// The first point.
  [[nodiscard]] constexpr iterator begin() const noexcept { return {*this, empty() ? behind() : lo}; }

  /// Behind the last one.
  [[nodiscard]] constexpr iterator end() const noexcept { return {*this, behind()}; }

private:
  [[nodiscard]] constexpr point<N> behind() const noexcept {
    point<N> p = lo;
    p[0] = std::max(hi[0], lo[0]);
    return p;
  }

  // The indices are passed on as values: in a point that is kept they would be memory, which compilers read again at each use.
  template <class F, class... I>
  TACTUS_ALWAYS_INLINE constexpr void each_along(F& f, I... outer) const {
    constexpr std::size_t axis = sizeof...(I);
    const index_t end = hi[axis];
    for (index_t i = lo[axis]; i < end; ++i) {
      if constexpr (axis + 1 < N) {
        each_along(f, outer..., i);
      } else if constexpr (std::invocable<F&, const point<N>&>) {
        f(point<N>(outer..., i));
      } else {
        f(outer..., i);
      }
    }
  }
};

/// "[(0,0),(8,8))".
/// Errors: std::bad_alloc.
/// \snippet 19_regions.cpp box
/// \ingroup arrays
template <std::size_t N>
[[nodiscard]] std::string to_string(const box<N>& b) {
  return "[" + to_string(b.lo) + "," + to_string(b.hi) + ")";
}

/// The indices lo <= i < hi, as a box with one axis. range(0, n) * range(0, m) is n times m points.
/// Errors: none.
/// \snippet 19_regions.cpp box
/// \ingroup arrays
template <std::integral First, std::integral Last>
[[nodiscard]] constexpr box<1> range(First lo, Last hi) noexcept {
  return {point<1>(lo), point<1>(hi)};
}

}  // namespace tactus
