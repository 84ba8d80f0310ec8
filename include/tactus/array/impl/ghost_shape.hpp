// SPDX-License-Identifier: Apache-2.0
// Where the ghosts of a block are.
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/array/box.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/array/point.hpp>
#include <tactus/base/impl/algorithms.hpp>

#include <cstddef>
#include <vector>

namespace tactus::detail {

/// Boxes of ghosts around blocks, and of all that is stored.
template <std::size_t N>
class ghost_shape {
public:
  ghost_shape(const dist<N>& d, const array_options<N>& o) : domain_(d.region().bounding_box()), options_(o) {}

  /// The block with its ghosts and outer cells.
  [[nodiscard]] box<N> stored(const box<N>& b) const {
    box<N> g = b.halo(options_.ghost);
    for (std::size_t d = 0; d < N; ++d) {
      if (!options_.periodic[d] && !options_.outer[d]) {
        g.lo[d] = std::max(g.lo[d], domain_.lo[d]);
        g.hi[d] = std::min(g.hi[d], domain_.hi[d]);
      }
    }
    return g;
  }

  /// Its cells whose halo has no ghost in it, as far as the array's bounding box tells.
  [[nodiscard]] box<N> interior(const box<N>& b) const {
    box<N> in = b;
    for (std::size_t d = 0; d < N; ++d) {
      in.lo[d] += options_.periodic[d] || b.lo[d] > domain_.lo[d] ? options_.ghost[d].lower : 0;
      in.hi[d] -= options_.periodic[d] || b.hi[d] < domain_.hi[d] ? options_.ghost[d].upper : 0;
    }
    for (std::size_t d = 0; d < N; ++d) {
      in.hi[d] = std::max(in.hi[d], in.lo[d]);
    }
    return in;
  }

  /// f(box) for each of those where its ghosts are; the block itself may be in it.
  template <class F>
  void for_each_wanted(const box<N>& b, F&& f) const {
    const box<N> grown = b.halo(options_.ghost);
    if (options_.corners) {
      f(grown);
      return;
    }
    for (std::size_t d = 0; d < N; ++d) {
      box<N> below = b;
      box<N> above = b;
      below.lo[d] = grown.lo[d];
      below.hi[d] = b.lo[d];
      above.lo[d] = b.hi[d];
      above.hi[d] = grown.hi[d];
      for (const box<N>& side : {below, above}) {
        if (!side.empty()) {
          f(side);
        }
      }
    }
  }

  /// By how much the domain may be moved along each axis, and still be near.
  [[nodiscard]] std::vector<point<N>> shifts() const {
    box<N> images;
    for (std::size_t d = 0; d < N; ++d) {
      const index_t extent = domain_.extent(d);
      const index_t widest = std::max(options_.ghost[d].lower, options_.ghost[d].upper);
      const index_t most = options_.periodic[d] && extent > 0 ? (widest + extent - 1) / extent : 0;
      images.lo[d] = -most;
      images.hi[d] = most + 1;
    }
    std::vector<point<N>> all;
    images.each([&](const point<N>& m) {
      point<N> shift;
      for (std::size_t d = 0; d < N; ++d) {
        shift[d] = m[d] * domain_.extent(d);
      }
      all.push_back(shift);
    });
    return all;
  }

  /// Where blocks lie whose ghosts reach into b, or into which its own reach.
  [[nodiscard]] box<N> near(const box<N>& b) const {
    box<N> far = b;
    for (std::size_t d = 0; d < N; ++d) {
      const index_t widest = std::max(options_.ghost[d].lower, options_.ghost[d].upper);
      far.lo[d] -= widest;
      far.hi[d] += widest;
    }
    return far;
  }

private:
  box<N> domain_;
  array_options<N> options_;
};

}  // namespace tactus::detail
