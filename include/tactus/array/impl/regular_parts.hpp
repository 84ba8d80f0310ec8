// SPDX-License-Identifier: Apache-2.0
// Parts of a box that are found by arithmetic: evenly cut, or dealt out in blocks of one size, along each axis.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/base/impl/algorithms.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace tactus::detail {

/// How the indices of one axis are cut into parts.
struct axis_cut {
  index_t lo = 0;
  index_t extent = 0;
  index_t parts = 1;
  index_t block =
      0;  ///< blocks of so many are dealt out in turn; 0: each part has one, the first ones one more than the others

  struct range {
    index_t lo = 0;
    index_t hi = 0;
  };

  [[nodiscard]] constexpr index_t part_of(index_t i) const noexcept {
    const index_t at = i - lo;
    if (block != 0) {
      return at / block % parts;
    }
    const index_t each = extent / parts;
    const index_t longer = extent % parts;
    const index_t of_longer = longer * (each + 1);
    return at < of_longer ? at / (each + 1) : longer + (at - of_longer) / each;
  }

  [[nodiscard]] constexpr range even(index_t part) const noexcept {
    const index_t each = extent / parts;
    const index_t longer = extent % parts;
    const index_t begin = lo + part * each + std::min(part, longer);
    return {begin, begin + each + (part < longer ? 1 : 0)};
  }

  /// The block with index i.
  [[nodiscard]] constexpr range block_of(index_t i) const noexcept {
    if (block == 0) {
      return even(part_of(i));
    }
    const index_t before = (i - lo) / block * block;
    return {lo + before, block > extent - before ? lo + extent : lo + before + block};
  }

  /// How many blocks a part has, and the n-th of them.
  [[nodiscard]] constexpr index_t blocks_of(index_t part) const noexcept {
    if (block == 0) {
      return even(part).hi > even(part).lo ? 1 : 0;
    }
    const index_t all = extent / block + (extent % block != 0 ? 1 : 0);
    return all > part ? (all - part - 1) / parts + 1 : 0;
  }
  [[nodiscard]] constexpr range nth_block(index_t part, index_t n) const noexcept {
    return block == 0 ? even(part) : block_of(lo + (part + n * parts) * block);
  }

  [[nodiscard]] constexpr index_t length_of(index_t part) const noexcept {
    const index_t n = blocks_of(part);
    if (n == 0) {
      return 0;
    }
    const range last = nth_block(part, n - 1);
    return (n - 1) * block + (last.hi - last.lo);
  }

  friend constexpr bool operator==(const axis_cut&, const axis_cut&) noexcept = default;
};

/// A box that is cut along all axes; parts are numbered row by row.
template <std::size_t N>
struct regular_parts {
  std::array<axis_cut, N> along{};

  [[nodiscard]] constexpr std::size_t count() const noexcept {
    std::size_t parts = 1;
    for (const axis_cut& a : along) {
      parts *= static_cast<std::size_t>(a.parts);
    }
    return parts;
  }

  [[nodiscard]] constexpr box<N> all() const noexcept {
    box<N> b;
    for (std::size_t d = 0; d < N; ++d) {
      b.lo[d] = along[d].lo;
      b.hi[d] = along[d].lo + along[d].extent;
    }
    return b;
  }

  [[nodiscard]] constexpr std::size_t part_of(const point<N>& p) const noexcept {
    std::size_t part = 0;
    for (std::size_t d = 0; d < N; ++d) {
      part = part * static_cast<std::size_t>(along[d].parts) + static_cast<std::size_t>(along[d].part_of(p[d]));
    }
    return part;
  }

  [[nodiscard]] constexpr box<N> block_of(const point<N>& p) const noexcept {
    box<N> b;
    for (std::size_t d = 0; d < N; ++d) {
      const axis_cut::range r = along[d].block_of(p[d]);
      b.lo[d] = r.lo;
      b.hi[d] = r.hi;
    }
    return b;
  }

  [[nodiscard]] constexpr point<N> coordinates(std::size_t part) const noexcept {
    point<N> c;
    for (std::size_t d = N; d-- > 0;) {
      c[d] = static_cast<index_t>(part % static_cast<std::size_t>(along[d].parts));
      part /= static_cast<std::size_t>(along[d].parts);
    }
    return c;
  }

  [[nodiscard]] constexpr std::size_t cells_of(std::size_t part) const noexcept {
    const point<N> c = coordinates(part);
    std::size_t cells = 1;
    for (std::size_t d = 0; d < N; ++d) {
      cells *= static_cast<std::size_t>(along[d].length_of(c[d]));
    }
    return cells;
  }

  [[nodiscard]] std::vector<box<N>> blocks_of(std::size_t part) const {
    const point<N> c = coordinates(part);
    box<N> numbers;
    for (std::size_t d = 0; d < N; ++d) {
      numbers.hi[d] = along[d].blocks_of(c[d]);
    }
    std::vector<box<N>> blocks;
    for (const point<N>& n : numbers) {
      box<N>& b = blocks.emplace_back();
      for (std::size_t d = 0; d < N; ++d) {
        const axis_cut::range r = along[d].nth_block(c[d], n[d]);
        b.lo[d] = r.lo;
        b.hi[d] = r.hi;
      }
    }
    return blocks;
  }

  friend constexpr bool operator==(const regular_parts&, const regular_parts&) noexcept = default;
};

}  // namespace tactus::detail
