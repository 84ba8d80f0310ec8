// SPDX-License-Identifier: Apache-2.0
// Which cells go where when ghosts are exchanged along one axis after the other. docs/protocols/ghosts.md, "Shift".
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/array/box.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/array/impl/grid_of_parts.hpp>
#include <tactus/array/impl/patches.hpp>
#include <tactus/array/point.hpp>
#include <tactus/base/impl/algorithms.hpp>

#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace tactus::detail {

/// Cells of a message that have come in another one: both are given with the patch that they are in, and where in the message that begins.
template <std::size_t N>
struct forwarded_cells {
  std::size_t from = 0;  ///< number of the entry that brought them
  box<N> cells;
  box<N> came;                 ///< patch
  std::size_t came_begin = 0;  ///< cells before it
  box<N> goes;
  std::size_t goes_begin = 0;
};

template <std::size_t N>
struct shift_plan {
  std::vector<neighbour_patches<N>> entries;              ///< stage by stage, in each by place
  std::vector<std::size_t> stages;                        ///< how many entries each has
  std::vector<std::vector<forwarded_cells<N>>> forwards;  ///< by entry
};

/// Makes the plan of one place. Stage k brings the slabs at both sides of a block along the k-th of the axes that anything is exchanged
/// along: what of them lies in the block's own piece of later axes, and in all that is stored of earlier ones.
template <std::size_t N>
class shift_planner {
public:
  shift_planner(const dist<N>& d, const array_options<N>& o, const grid_of_parts<N>& parts)
      : domain_(d.region().bounding_box()), options_(o), parts_(parts), dist_(d) {}

  /// Axes along which cells go.
  [[nodiscard]] std::vector<std::size_t> axes() const {
    std::vector<std::size_t> all;
    for (std::size_t d = 0; d < N; ++d) {
      if (options_.ghost[d] != width() && (options_.periodic[d] || parts_.pieces(d).size() > 1)) {
        all.push_back(d);
      }
    }
    return all;
  }

  [[nodiscard]] shift_plan<N> of(int here) const {
    shift_plan<N> plan;
    const std::vector<std::size_t> along = axes();
    const std::vector<box<N>> blocks = dist_.blocks(place(place::unchecked{here}));
    for (std::size_t k = 0; k < along.size(); ++k) {
      plan_of_place<N> stage;
      if (!blocks.empty()) {
        add_stage(along, k, parts_.at(blocks.front()), stage);
      }
      auto entries = std::move(stage).sorted();
      plan.stages.push_back(entries.size());
      std::move(entries.begin(), entries.end(), std::back_inserter(plan.entries));
    }
    add_forwards(plan);
    return plan;
  }

private:
  using coordinates = std::array<std::size_t, N>;

  // What a piece gets along its axis: from which piece, how far away its image is, and the indices, in those of the piece that gets them.
  struct reach {
    std::size_t piece;
    index_t shift;
    index_span indices;
  };
  [[nodiscard]] std::vector<reach> reached(std::size_t axis, std::size_t piece) const {
    std::vector<reach> all;
    const auto& pieces = parts_.pieces(axis);
    const index_t extent = domain_.extent(axis);
    const width w = options_.ghost[axis];
    const index_t most = options_.periodic[axis] ? (std::max(w.lower, w.upper) + extent - 1) / extent : 0;
    const index_span grown{pieces[piece].lo - w.lower, pieces[piece].hi + w.upper};
    for (index_t m = -most; m <= most; ++m) {
      for (std::size_t other = 0; other < pieces.size(); ++other) {
        const index_t shift = m * extent;
        const index_span both{std::max(grown.lo, pieces[other].lo + shift),
                              std::min(grown.hi, pieces[other].hi + shift)};
        if (both.lo < both.hi && (other != piece || m != 0)) {
          all.push_back({other, shift, both});
        }
      }
    }
    return all;
  }

  // All indices that a piece has after the stage of its axis, in as few spans as they make.
  [[nodiscard]] std::vector<index_span> grown(std::size_t axis, std::size_t piece) const {
    std::vector<index_span> all{parts_.pieces(axis)[piece]};
    for (const reach& r : reached(axis, piece)) {
      all.push_back(r.indices);
    }
    std::sort(all.begin(), all.end());
    std::vector<index_span> joined;
    for (const index_span& s : all) {
      if (!joined.empty() && joined.back().hi == s.lo) {
        joined.back().hi = s.hi;
      } else {
        joined.push_back(s);
      }
    }
    return joined;
  }

  // Places along the axis of a stage agree in all other coordinates: one cross-section is that of all of them.
  void add_stage(const std::vector<std::size_t>& along, std::size_t k, const coordinates& me,
                 plan_of_place<N>& stage) const {
    const std::size_t axis = along[k];
    std::vector<box<N>> sections(1);
    for (std::size_t d = 0; d < N; ++d) {
      const bool is_earlier = std::find(along.begin(), along.begin() + static_cast<std::ptrdiff_t>(k), d) !=
                              along.begin() + static_cast<std::ptrdiff_t>(k);
      const std::vector<index_span> spans =
          is_earlier ? grown(d, me[d]) : std::vector<index_span>{parts_.pieces(d)[me[d]]};
      std::vector<box<N>> products;
      for (const box<N>& section : sections) {
        for (const index_span& s : spans) {
          products.push_back(section);
          products.back().lo[d] = s.lo;
          products.back().hi[d] = s.hi;
        }
      }
      sections = std::move(products);
    }
    const auto with = [axis](box<N> section, const index_span& s) {
      section.lo[axis] = s.lo;
      section.hi[axis] = s.hi;
      return section;
    };
    for (std::size_t other = 0; other < parts_.pieces(axis).size(); ++other) {
      coordinates there = me;
      there[axis] = other;
      for (const reach& r : reached(axis, other)) {
        if (r.piece == me[axis]) {
          for (const box<N>& section : sections) {
            stage.send(parts_.owner(there), 0, with(section, {r.indices.lo - r.shift, r.indices.hi - r.shift}), 0,
                       point<N>::unit(axis, r.shift));
          }
        }
      }
    }
    for (const reach& r : reached(axis, me[axis])) {
      coordinates there = me;
      there[axis] = r.piece;
      for (const box<N>& section : sections) {
        stage.receive(parts_.owner(there), 0, with(section, r.indices), 0, point<N>::unit(axis, r.shift));
      }
    }
  }

  static void add_forwards(shift_plan<N>& plan) {
    plan.forwards.resize(plan.entries.size());
    std::size_t first = 0;
    for (const std::size_t count : plan.stages) {
      for (std::size_t n = first; n < first + count; ++n) {
        for (std::size_t from = 0; from < first; ++from) {
          add_common(plan.entries[from].in, from, plan.entries[n].out, plan.forwards[n]);
        }
      }
      first += count;
    }
  }
  static void add_common(const std::vector<patch<N>>& in, std::size_t from, const std::vector<patch<N>>& out,
                         std::vector<forwarded_cells<N>>& all) {
    std::size_t goes_begin = 0;
    for (const patch<N>& o : out) {
      std::size_t came_begin = 0;
      for (const patch<N>& i : in) {
        if (const box<N> both = o.cells & i.cells; !both.empty()) {
          all.push_back({from, both, i.cells, came_begin, o.cells, goes_begin});
        }
        came_begin += i.cells.size();
      }
      goes_begin += o.cells.size();
    }
  }

  box<N> domain_;
  array_options<N> options_;
  const grid_of_parts<N>& parts_;
  const dist<N>& dist_;
};

}  // namespace tactus::detail
