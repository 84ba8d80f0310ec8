// SPDX-License-Identifier: Apache-2.0
// Distributions whose parts form a grid, as it is found from their blocks.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/array/point.hpp>
#include <tactus/base/impl/algorithms.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Indices from lo on, below hi.
struct index_span {
  index_t lo = 0;
  index_t hi = 0;

  friend bool operator==(const index_span&, const index_span&) = default;
  friend auto operator<=>(const index_span&, const index_span&) = default;
};

/// Each part is the product of one piece of each axis, and each product of pieces is a part: at most one block at each place.
template <std::size_t N>
class grid_of_parts {
public:
  /// None: they form no grid.
  [[nodiscard]] static std::optional<grid_of_parts> of(const dist<N>& d) {
    grid_of_parts g;
    std::vector<std::pair<box<N>, int>> parts;
    for (const place p : d.group()) {
      const std::vector<box<N>> blocks = d.blocks(p);
      if (blocks.size() > 1) {
        return std::nullopt;
      }
      for (const box<N>& b : blocks) {
        parts.emplace_back(b, p.id());
      }
    }
    std::size_t products = 1;
    for (std::size_t axis = 0; axis < N; ++axis) {
      std::vector<index_span>& pieces = g.pieces_[axis];
      for (const auto& [b, p] : parts) {
        pieces.push_back({b.lo[axis], b.hi[axis]});
      }
      std::sort(pieces.begin(), pieces.end());
      pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
      products *= pieces.size();
      if (products > parts.size()) {
        return std::nullopt;
      }
    }
    if (parts.empty()) {
      return g;
    }
    // Parts do not overlap, so as many as there are products are all of them.
    if (products != parts.size()) {
      return std::nullopt;
    }
    g.owners_.resize(parts.size());
    for (const auto& [b, p] : parts) {
      g.owners_[g.number(g.at(b))] = p;
    }
    return g;
  }

  [[nodiscard]] const std::vector<index_span>& pieces(std::size_t axis) const noexcept { return pieces_[axis]; }

  /// Which piece of each axis the block is of.
  [[nodiscard]] std::array<std::size_t, N> at(const box<N>& block) const {
    std::array<std::size_t, N> where{};
    for (std::size_t axis = 0; axis < N; ++axis) {
      const auto found =
          std::lower_bound(pieces_[axis].begin(), pieces_[axis].end(), index_span{block.lo[axis], block.hi[axis]});
      where[axis] = static_cast<std::size_t>(found - pieces_[axis].begin());
    }
    return where;
  }
  [[nodiscard]] int owner(const std::array<std::size_t, N>& at) const noexcept { return owners_[number(at)]; }

private:
  grid_of_parts() = default;

  [[nodiscard]] std::size_t number(const std::array<std::size_t, N>& at) const noexcept {
    std::size_t n = 0;
    for (std::size_t axis = 0; axis < N; ++axis) {
      n = n * pieces_[axis].size() + at[axis];
    }
    return n;
  }

  std::array<std::vector<index_span>, N> pieces_;
  std::vector<int> owners_;  // of the products, the last axis fastest
};

}  // namespace tactus::detail
