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

/// A run of so many bytes, which compilers know: some moves, and no call.
template <std::size_t Bytes>
TACTUS_ALWAYS_INLINE void copy_run(std::byte* to, const std::byte* from) noexcept {
  std::memcpy(to, from, Bytes);
}

template <std::size_t Cell, std::size_t N>
struct cell_copier {
  static constexpr index_t k_short = 8;  // runs below are moves

  std::array<index_t, N> extent{};
  cell_layout<N> to;
  cell_layout<N> from;

  template <std::size_t D>
  void along(std::byte* t, const std::byte* f) const noexcept {
    if constexpr (D + 1 == N) {
      rows(t, f, 1, 0, 0);
    } else if constexpr (D + 2 == N) {
      rows(t, f, extent[D], to.step[D], from.step[D]);
    } else {
      for (index_t i = 0; i < extent[D]; ++i) {
        along<D + 1>(t, f);
        t += to.step[D];
        f += from.step[D];
      }
    }
  }

  // A face whose normal is the last axis has runs as short as ghosts are wide: those of one length share a loop.
  void rows(std::byte* t, const std::byte* f, index_t count, std::ptrdiff_t step_to,
            std::ptrdiff_t step_from) const noexcept {
    const index_t run = extent[N - 1];
    if (run < k_short && static_cast<std::size_t>(run) * Cell <= 64) {
      short_rows<1>(t, f, count, step_to, step_from);
      return;
    }
    for (index_t i = 0; i < count; ++i) {
      std::memcpy(t, f, static_cast<std::size_t>(run) * Cell);
      t += step_to;
      f += step_from;
    }
  }

  template <index_t Run>
  void short_rows(std::byte* t, const std::byte* f, index_t count, std::ptrdiff_t step_to,
                  std::ptrdiff_t step_from) const noexcept {
    if constexpr (Run < k_short && static_cast<std::size_t>(Run) * Cell <= 64) {
      if (extent[N - 1] != Run) {
        short_rows<Run + 1>(t, f, count, step_to, step_from);
        return;
      }
      for (index_t i = 0; i < count; ++i) {
        copy_run<static_cast<std::size_t>(Run) * Cell>(t, f);
        t += step_to;
        f += step_from;
      }
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
