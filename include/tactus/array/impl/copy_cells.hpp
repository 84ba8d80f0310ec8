// SPDX-License-Identifier: Apache-2.0
// Copies of boxes of cells between places in memory.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/array/view.hpp>
#include <tactus/base/impl/platform.hpp>

#include <array>
#include <cstddef>
#include <cstring>

namespace tactus::detail {

/// Where the cells of a box lie: the first one, and how far apart those along each axis are, in bytes.
template <std::size_t N>
struct cell_layout {
  std::array<std::ptrdiff_t, N> step{};

  template <class T>
  static cell_layout of(const view<T, N>& u) noexcept {
    cell_layout l;
    for (std::size_t d = 0; d < N; ++d) {
      l.step[d] = u.stride(d) * static_cast<std::ptrdiff_t>(sizeof(T));
    }
    return l;
  }
  static cell_layout dense(const box<N>& b, std::size_t cell) noexcept {
    cell_layout l;
    auto step = static_cast<std::ptrdiff_t>(cell);
    for (std::size_t d = N; d-- > 0;) {
      l.step[d] = step;
      step *= b.extent(d);
    }
    return l;
  }

  /// How far the second cell is behind the first.
  [[nodiscard]] std::ptrdiff_t distance(const point<N>& first, const point<N>& second) const noexcept {
    std::ptrdiff_t all = 0;
    for (std::size_t d = 0; d < N; ++d) {
      all += (second[d] - first[d]) * step[d];
    }
    return all;
  }
};

/// Of so many bytes a cell, which compilers know.
template <std::size_t Cell>
struct one_cell {
  static void copy(std::byte* to, const std::byte* from) noexcept { std::memcpy(to, from, Cell); }
};

template <std::size_t Cell, std::size_t N>
struct cell_copier {
  std::array<index_t, N> extent{};
  cell_layout<N> to;
  cell_layout<N> from;

  template <std::size_t D>
  void along(std::byte* t, const std::byte* f) const noexcept {
    if constexpr (D + 1 == N) {
      row(t, f);
    } else if (D + 2 == N && extent[N - 1] == 1) {
      const std::ptrdiff_t step_to = to.step[D];
      const std::ptrdiff_t step_from = from.step[D];
      for (index_t i = 0; i < extent[D]; ++i) {
        one_cell<Cell>::copy(t, f);
        t += step_to;
        f += step_from;
      }
    } else {
      for (index_t i = 0; i < extent[D]; ++i) {
        along<D + 1>(t, f);
        t += to.step[D];
        f += from.step[D];
      }
    }
  }

  TACTUS_ALWAYS_INLINE void row(std::byte* t, const std::byte* f) const noexcept {
    constexpr index_t k_few = 8;
    const index_t n = extent[N - 1];
    if (n > k_few) {
      std::memcpy(t, f, static_cast<std::size_t>(n) * Cell);
      return;
    }
    for (index_t i = 0; i < n; ++i) {
      one_cell<Cell>::copy(t, f);
      t += Cell;
      f += Cell;
    }
  }
};

/// The cells of a box that is not empty; rows are dense in both.
template <std::size_t Cell, std::size_t N>
void copy_cells(const box<N>& b, std::byte* t, const cell_layout<N>& to, const std::byte* f,
                const cell_layout<N>& from) noexcept {
  cell_copier<Cell, N> c;
  for (std::size_t d = 0; d < N; ++d) {
    c.extent[d] = b.extent(d);
  }
  c.to = to;
  c.from = from;
  c.template along<0>(t, f);
}

}  // namespace tactus::detail
