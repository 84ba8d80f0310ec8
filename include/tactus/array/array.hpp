// SPDX-License-Identifier: Apache-2.0
// Arrays of one place.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/array/view.hpp>
#include <tactus/base/impl/algorithms.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {

namespace detail {

/// What std::vector<bool> has no pointers to.
class bool_cells {
public:
  bool_cells() noexcept = default;
  bool_cells(std::size_t count, bool value) : cells_(new bool[count]), count_(count) {
    std::fill_n(cells_.get(), count, value);
  }
  bool_cells(const bool_cells& other) : cells_(new bool[other.count_]), count_(other.count_) {
    std::copy_n(other.cells_.get(), count_, cells_.get());
  }
  bool_cells(bool_cells&& other) noexcept : cells_(std::move(other.cells_)), count_(std::exchange(other.count_, 0)) {}
  bool_cells& operator=(bool_cells other) noexcept {
    cells_ = std::move(other.cells_);
    count_ = std::exchange(other.count_, 0);
    return *this;
  }
  ~bool_cells() = default;
  [[nodiscard]] bool* data() noexcept { return cells_.get(); }
  [[nodiscard]] const bool* data() const noexcept { return cells_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] friend bool operator==(const bool_cells& a, const bool_cells& b) noexcept {
    return std::equal(a.cells_.get(), a.cells_.get() + a.count_, b.cells_.get(), b.cells_.get() + b.count_);
  }

  template <class Archive>
  void serialize(Archive& ar) {
    std::vector<bool> bits(cells_.get(), cells_.get() + count_);
    ar & bits;
    if constexpr (Archive::loading) {
      *this = bool_cells(bits.size(), false);
      std::copy(bits.begin(), bits.end(), cells_.get());
    }
  }

private:
  std::unique_ptr<bool[]> cells_;
  std::size_t count_ = 0;
};

}  // namespace detail

/// A dense array over a box of points, which owns its elements; row after row. A value: copies are deep, and it travels where T does.
/// Index checks are those of view.
/// Errors: usage_error where its box has more points than can be counted; std::bad_alloc, std::length_error; what copies of T throw.
/// \snippet 19_regions.cpp array
/// \ingroup arrays
template <class T, std::size_t N>
class array {
public:
  using value_type = T;  ///< of its elements

  /// Without elements.
  array() = default;
  array(const array&) = default;             ///< deep
  array& operator=(const array&) = default;  ///< deep
  ~array() = default;

  /// What is moved from is without elements.
  array(array&& other) noexcept : region_(std::exchange(other.region_, {})), cells_(std::move(other.cells_)) {}

  /// The same.
  array& operator=(array&& other) noexcept {
    region_ = std::exchange(other.region_, {});
    cells_ = std::move(other.cells_);
    return *this;
  }

  /// An element for each point of `over`, all copies of `init`. usage_error where that are more than can be counted; std::bad_alloc,
  /// std::length_error.
  explicit array(const box<N>& over, const T& init = T{}) : region_(over), cells_(over.size(), init) {}

  /// The element of a point of region().
  [[nodiscard]] T& operator[](const point<N>& p) { return all()[p]; }

  /// The same.
  [[nodiscard]] const T& operator[](const point<N>& p) const { return all()[p]; }

  /// The same, of its indices.
  template <std::integral... I>
    requires(sizeof...(I) == N)
  [[nodiscard]] T& operator()(I... i) {
    return all()(i...);
  }

  /// The same, of its indices.
  template <std::integral... I>
    requires(sizeof...(I) == N)
  [[nodiscard]] const T& operator()(I... i) const {
    return all()(i...);
  }

  /// The points that have an element.
  [[nodiscard]] box<N> region() const noexcept { return region_; }

  /// How many elements.
  [[nodiscard]] std::size_t size() const noexcept { return cells_.size(); }

  /// All of them. In a loop, a copy of it is what to index. Until the array is assigned to, or goes.
  [[nodiscard]] view<T, N> all() noexcept { return {cells_.data(), region_}; }

  /// The same, for reading.
  [[nodiscard]] view<const T, N> all() const noexcept { return {cells_.data(), region_}; }

  /// The first one.
  [[nodiscard]] T* data() noexcept { return cells_.data(); }

  /// The same, for reading.
  [[nodiscard]] const T* data() const noexcept { return cells_.data(); }

  /// The same points and equal elements.
  [[nodiscard]] friend bool operator==(const array& a, const array& b)
    requires std::equality_comparable<T>
  {
    return a.region_ == b.region_ && a.cells_ == b.cells_;
  }

  /// How it travels.
  template <class Archive>
  void serialize(Archive& ar) {
    ar & region_ & cells_;
    if constexpr (Archive::loading) {
      if (cells_.size() != region_.size()) {
        throw usage_error("tactus: an array of " + std::to_string(cells_.size()) + " elements has come for the " +
                          std::to_string(region_.size()) + " points of " + to_string(region_));
      }
    }
  }

private:
  box<N> region_{};
  std::conditional_t<std::same_as<T, bool>, detail::bool_cells, std::vector<T>> cells_;
};

}  // namespace tactus
