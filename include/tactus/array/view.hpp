// SPDX-License-Identifier: Apache-2.0
// Views: dense pieces of arrays, indexed by global points.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/array/impl/cells_by_address.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/impl/lesser.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/wire/impl/travel_kinds.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <version>

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace tactus {

namespace detail {

/// Boxes that come to no more than `Most`.
template <std::size_t N, std::size_t Most>
class few_boxes {
public:
  constexpr void add(const box<N>& b) noexcept {
    if (!b.empty()) {
      boxes_[count_++] = b;
    }
  }
  [[nodiscard]] constexpr const box<N>* begin() const noexcept { return boxes_.data(); }
  [[nodiscard]] constexpr const box<N>* end() const noexcept { return boxes_.data() + count_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] constexpr const box<N>& operator[](std::size_t i) const noexcept { return boxes_[i]; }

private:
  std::array<box<N>, Most> boxes_{};
  std::size_t count_ = 0;
};

#ifdef TACTUS_CHECKED
template <class Cells, std::size_t N>
[[noreturn]] void throw_not_stored(const Cells& cells, const box<N>& stored, const void* data) {
  const std::string of = cells_by_address::whose(data);
  throw usage_error("tactus: " + to_string(cells) + " is not in " + to_string(stored) +
                    (of.empty() ? ", which the view has" : " of " + of));
}
#endif

}  // namespace detail

/// A dense piece of an array, row after row, whose elements are found by their global indices. Owns nothing; a copy is of the same
/// elements. u(i, j, k) is data[i * stride(0) + j * stride(1) + k - c], where c does not depend on the indices. Trivially copyable, but does
/// not travel: its memory is of one place.
/// Where the program is compiled with TACTUS_CHECKED, an index that is not stored is a usage_error; else it is undefined.
/// ghost-regions.txt, sections II and III.
/// Errors: usage_error, as said, where the program is compiled with TACTUS_CHECKED.
/// \snippet 19_regions.cpp view
/// \ingroup arrays
template <class T, std::size_t N>
class view {
public:
  using value_type = std::remove_cv_t<T>;  ///< of its elements

  /// Of nothing.
  constexpr view() noexcept = default;

  /// Of the elements of `stored`, at `data` in their order; all of them resident.
  constexpr view(T* data, const box<N>& stored) noexcept : view(data, stored, stored, stored) {}

  /// The same, of which those of `resident` are the place's own, and those of `interior` have none but these around them.
  constexpr view(T* data, const box<N>& stored, const box<N>& resident, const box<N>& interior,
                 std::size_t number = 0) noexcept
      : data_(data), stored_(stored), resident_(resident), interior_(interior), number_(number) {
    stride_[N - 1] = 1;
    for (std::size_t d = N - 1; d-- > 0;) {
      stride_[d] = stride_[d + 1] * stored.extent(d + 1);
    }
    for (std::size_t d = 0; d < N; ++d) {
      before_ += stride_[d] * stored.lo[d];
    }
  }

#ifndef DOXYGEN
  // A part of another one's cells.
  constexpr view(const view& whole, const box<N>& stored, const box<N>& resident, const box<N>& interior,
                 std::size_t number) noexcept
      : view(whole) {
    stored_ = stored;
    resident_ = resident;
    interior_ = interior;
    number_ = number;
    index_t first = 0;
    for (std::size_t d = 0; d < N; ++d) {
      first += stored.lo[d] * stride_[d];
    }
    data_ += first - before_;
    before_ = first;
  }
#endif

  /// The same elements, for reading only.
  template <class U>
    requires(std::same_as<const U, T> && !std::same_as<U, T>)
  constexpr view(const view<U, N>& other) noexcept  // NOLINT(google-explicit-constructor): as a pointer to const is
      : view(other.data(), other.stored(), other.resident(), other.interior(), other.number()) {
    before_ = 0;
    for (std::size_t d = 0; d < N; ++d) {
      stride_[d] = other.stride(d);
      before_ += stride_[d] * stored_.lo[d];
    }
  }

  /// The element of a point that is stored.
  [[nodiscard]] TACTUS_ALWAYS_INLINE constexpr T& operator[](const point<N>& p) const {
#ifdef TACTUS_CHECKED
    if (!stored_.contains(p)) [[unlikely]] {
      detail::throw_not_stored(p, stored_, data_);
    }
#endif
    return at_point(p, k_axes);
  }

  /// The same.
  [[nodiscard]] TACTUS_ALWAYS_INLINE constexpr T& operator()(const point<N>& p) const { return (*this)[p]; }

  /// The same of its indices.
  template <std::integral... I>
    requires(sizeof...(I) == N)
  [[nodiscard]] TACTUS_ALWAYS_INLINE constexpr T& operator()(I... i) const {
#ifdef TACTUS_CHECKED
    return (*this)[point<N>(i...)];
#else
    return data_[offset_of(k_axes, static_cast<index_t>(i)...)];
#endif
  }

  /// Where the first element lies, that of origin().
  [[nodiscard]] constexpr T* data() const noexcept { return data_; }

  /// How many elements apart neighbours along an axis lie; 1 along the last.
  [[nodiscard]] constexpr index_t stride(std::size_t axis) const noexcept { return stride_[axis]; }

  /// All that it has: resident elements, ghosts, outer ones.
  [[nodiscard]] constexpr box<N> stored() const noexcept { return stored_; }

  /// The place's own.
  [[nodiscard]] constexpr box<N> resident() const noexcept { return resident_; }

  /// Resident ones with no ghost around them, as far as ghosts are kept. A side shrinks it wherever it is not at an end of the array's bounding
  /// box: also towards other blocks of the place, and where a region that is no box has nothing beyond.
  [[nodiscard]] constexpr box<N> interior() const noexcept { return interior_; }

  /// The other resident ones, as disjoint boxes: a range of 2N at most.
  [[nodiscard]] constexpr detail::few_boxes<N, 2 * N> boundary() const noexcept {
    detail::few_boxes<N, 2 * N> layers;
    box<N> left = resident_;
    if ((resident_ & interior_).empty()) {
      layers.add(resident_);
      return layers;
    }
    for (std::size_t d = 0; d < N; ++d) {
      box<N> below = left;
      box<N> above = left;
      below.hi[d] = left.lo[d] = interior_.lo[d];
      above.lo[d] = left.hi[d] = interior_.hi[d];
      layers.add(below);
      layers.add(above);
    }
    return layers;
  }

  /// The lowest point that is stored.
  [[nodiscard]] constexpr point<N> origin() const noexcept { return stored_.lo; }

  /// Of several pieces at one place, which one it is, from 0: equal for arrays on one distribution.
  [[nodiscard]] constexpr std::size_t number() const noexcept { return number_; }

  /// The elements of a box that is stored as a range of rows along the last axis, each a std::span<T>.
  [[nodiscard]] constexpr auto rows(const box<N>& b) const {
#ifdef TACTUS_CHECKED
    if (!stored_.contains(b)) [[unlikely]] {
      detail::throw_not_stored(b, stored_, data_);
    }
#endif
    return row_range(*this, b);
  }

  /// Itself.
  [[nodiscard]] constexpr view all() const noexcept { return *this; }

#if defined(__cpp_lib_mdspan)
  /// All that is stored, with indices from 0: origin() says where that is. Its rows may lie apart, as those of a piece among others do.
  [[nodiscard]] constexpr auto mdspan() const noexcept {
    using extents = std::dextents<index_t, N>;
    std::array<index_t, N> sizes{};
    std::array<index_t, N> strides{};
    for (std::size_t d = 0; d < N; ++d) {
      sizes[d] = stored_.extent(d);
      strides[d] = detail::greater<index_t>(stride_[d], 1);  // of a view of nothing too
    }
    return std::mdspan<T, extents, std::layout_stride>(data_, {extents(sizes), strides});
  }
#endif

private:
#ifndef DOXYGEN
  class row_range {
  public:
    constexpr row_range(const view& of, const box<N>& b) noexcept
        : of_(of), starts_(b), length_(static_cast<std::size_t>(b.extent(N - 1))) {
      starts_.hi[N - 1] = b.empty() ? b.lo[N - 1] : b.lo[N - 1] + 1;
    }

    class iterator {
    public:
      using value_type = std::span<T>;
      using difference_type = index_t;
      constexpr iterator() noexcept = default;
      constexpr iterator(const view& of, typename box<N>::iterator first, std::size_t length) noexcept
          : of_(of), at_(first), length_(length) {}
      [[nodiscard]] constexpr std::span<T> operator*() const { return {&of_[*at_], length_}; }
      constexpr iterator& operator++() noexcept {
        ++at_;
        return *this;
      }
      constexpr iterator operator++(int) noexcept {
        const iterator before = *this;
        ++at_;
        return before;
      }
      [[nodiscard]] friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
        return a.at_ == b.at_;
      }

    private:
      view of_;
      typename box<N>::iterator at_{};
      std::size_t length_ = 0;
    };
    [[nodiscard]] constexpr iterator begin() const noexcept { return {of_, starts_.begin(), length_}; }
    [[nodiscard]] constexpr iterator end() const noexcept { return {of_, starts_.end(), length_}; }

  private:
    view of_;
    box<N> starts_;
    std::size_t length_;
  };
#endif

  static constexpr std::make_index_sequence<N> k_axes{};

  // Index by index, not in loops nor by way of a point: compilers then keep indices in registers.
  template <std::size_t... D, class... I>
  [[nodiscard]] TACTUS_ALWAYS_INLINE constexpr index_t offset_of(std::index_sequence<D...>, I... i) const noexcept {
    return ((D + 1 < N ? i * stride_[D] : i) + ...) - before_;
  }
  template <std::size_t... D>
  [[nodiscard]] TACTUS_ALWAYS_INLINE constexpr T& at_point(const point<N>& p, std::index_sequence<D...> all) const {
    return data_[offset_of(all, p[D]...)];
  }

  T* data_ = nullptr;
  std::array<index_t, N> stride_{};
  index_t before_ = 0;  // the place of the origin, if the first element lay at (0, 0, ...)
  box<N> stored_{};
  box<N> resident_{};
  box<N> interior_{};
  std::size_t number_ = 0;
};

namespace detail {

/// Its memory is of this place: it does not travel.
template <class T, std::size_t N>
inline constexpr bool is_view<view<T, N>> = true;

}  // namespace detail

}  // namespace tactus
