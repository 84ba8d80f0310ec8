// SPDX-License-Identifier: Apache-2.0
// How the elements of an array stand in a file: docs/checkpoint-format.md.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/place/travels.hpp>
#include <tactus/wire/impl/pack.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tactus::detail {

/// Whether elements are written as their bytes, each at a place that is known from its number.
template <class T>
inline constexpr bool is_written_raw = std::is_trivially_copyable_v<T>;

/// Whether a file of a machine of the other byte order can be read.
template <class T>
consteval bool is_read_swapped() {
  if constexpr (!travels<T>) {
    return false;
  } else if constexpr (is_written_raw<T>) {
    return is_image<T> && swaps<T>;
  } else {
    return swaps<T>;
  }
}

inline constexpr std::size_t k_checkpoint_buffer = std::size_t{1} << 20U;

/// Calls f(first point, cells) for each piece of a row of `b` that has some of its cells number `first` to `first + n`, in their order.
template <std::size_t N, class F>
void for_each_run(const box<N>& b, std::uint64_t first, std::uint64_t n, F&& f) {
  const auto row = static_cast<std::uint64_t>(b.extent(N - 1));
  while (n != 0) {
    const std::uint64_t into = first % row;
    std::uint64_t rows = first / row;
    point<N> p = b.lo;
    p[N - 1] += static_cast<index_t>(into);
    for (std::size_t d = N - 1; d-- > 0;) {
      const auto along = static_cast<std::uint64_t>(b.extent(d));
      p[d] += static_cast<index_t>(rows % along);
      rows /= along;
    }
    const std::uint64_t cells = std::min(n, row - into);
    f(p, static_cast<std::size_t>(cells));
    first += cells;
    n -= cells;
  }
}

}  // namespace tactus::detail
