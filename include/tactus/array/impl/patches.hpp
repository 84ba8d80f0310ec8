// SPDX-License-Identifier: Apache-2.0
// Which cells go where: the plans of exchanges. docs/protocols/ghosts.md, "Plans".
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/array/box.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/array/impl/box_index.hpp>
#include <tactus/array/region.hpp>
#include <tactus/base/impl/algorithms.hpp>

#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace tactus::detail {

/// A box of cells that goes from a block to a block.
template <std::size_t N>
struct patch {
  std::size_t here = 0;   ///< block of this place
  box<N> cells;           ///< in its indices
  std::size_t there = 0;  ///< block of the other place
  point<N> shift;         ///< from the sender's indices to the receiver's
};

template <std::size_t N>
struct neighbour_patches {
  int place = 0;
  std::vector<patch<N>> out;  ///< both lists in the receiver's order: by its block, the sender's, shift and cells
  std::vector<patch<N>> in;
};

/// All blocks of a dist, as they are found by their cells.
template <std::size_t N>
class all_blocks {
public:
  explicit all_blocks(const dist<N>& d) {
    std::vector<typename box_index<N>::item> items;
    for (const place p : d.group()) {
      std::size_t number = 0;
      for (const box<N>& b : d.blocks(p)) {
        items.push_back({b, blocks_.size()});
        blocks_.push_back({p.id(), number++});
      }
    }
    index_ = box_index<N>(std::move(items));
  }

  /// f(box, place, number of the block at that place)
  template <class F>
  void for_each_in(const box<N>& b, F&& f) const {
    index_.for_each_in(
        b, [&](const auto& item) { f(item.where, blocks_[item.member].place, blocks_[item.member].number); });
  }

private:
  struct block {
    int place;
    std::size_t number;
  };
  std::vector<block> blocks_;
  box_index<N> index_;
};

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

  /// Its cells whose halo has no ghost in it.
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

  /// Where its ghosts are; the block itself may be in it.
  [[nodiscard]] std::vector<box<N>> wanted(const box<N>& b) const {
    std::vector<box<N>> all;
    const box<N> grown = b.halo(options_.ghost);
    if (options_.corners) {
      all.push_back(grown);
      return all;
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
          all.push_back(side);
        }
      }
    }
    return all;
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

  /// Where blocks may lie whose ghosts reach into b.
  [[nodiscard]] box<N> reached_from(const box<N>& b) const {
    box<N> far = b;
    for (std::size_t d = 0; d < N; ++d) {
      far.lo[d] -= options_.ghost[d].upper;
      far.hi[d] += options_.ghost[d].lower;
    }
    return far;
  }

private:
  box<N> domain_;
  array_options<N> options_;
};

/// By place, in rising order.
template <std::size_t N>
class plan_of_place {
public:
  void send(int to, std::size_t block_here, const box<N>& cells, std::size_t block_there, const point<N>& shift) {
    of(to).out.push_back({block_here, cells, block_there, shift});
  }
  void receive(int from, std::size_t block_here, const box<N>& cells, std::size_t block_there, const point<N>& shift) {
    of(from).in.push_back({block_here, cells, block_there, shift});
  }

  [[nodiscard]] std::vector<neighbour_patches<N>> sorted() && {
    std::vector<neighbour_patches<N>> all;
    for (auto& [p, n] : neighbours_) {
      std::sort(n.out.begin(), n.out.end(), [](const patch<N>& a, const patch<N>& b) {
        return std::tuple(a.there, a.here, a.shift, a.cells.lo) < std::tuple(b.there, b.here, b.shift, b.cells.lo);
      });
      std::sort(n.in.begin(), n.in.end(), [](const patch<N>& a, const patch<N>& b) {
        return std::tuple(a.here, a.there, a.shift, a.cells.lo) < std::tuple(b.here, b.there, b.shift, b.cells.lo);
      });
      all.push_back(std::move(n));
    }
    return all;
  }

private:
  neighbour_patches<N>& of(int p) {
    neighbour_patches<N>& n = neighbours_[p];
    n.place = p;
    return n;
  }
  std::map<int, neighbour_patches<N>> neighbours_;
};

/// What place `here` sends and gets when ghosts are exchanged.
template <std::size_t N>
std::vector<neighbour_patches<N>> ghost_plan(const dist<N>& d, const array_options<N>& o, int here) {
  const ghost_shape<N> shape(d, o);
  const all_blocks<N> index(d);
  const std::vector<box<N>> mine = d.blocks(place(place::unchecked{here}));
  const bool shares_storage = o.storage == block_storage::bounding_box;
  plan_of_place<N> plan;
  // What a block gets of its ghosts: where blocks share their storage, the first block that has one gets it.
  const auto wanted_of = [&](const std::vector<box<N>>& blocks, std::size_t number) {
    std::vector<box<N>> wanted = shape.wanted(blocks[number]);
    if (shares_storage && blocks.size() > 1) {
      region<N> left(wanted);
      left = left - region<N>(blocks);
      for (std::size_t before = 0; before < number; ++before) {
        left = left - region<N>(shape.wanted(blocks[before]));
      }
      wanted.assign(left.boxes().begin(), left.boxes().end());
    }
    return wanted;
  };
  std::map<int, std::vector<box<N>>> blocks_of;
  std::map<std::pair<int, std::size_t>, std::vector<box<N>>> wanted_by;
  const auto wanted_at = [&](int p, std::size_t number, const box<N>& b) -> const std::vector<box<N>>& {
    auto found = wanted_by.find({p, number});
    if (found == wanted_by.end()) {
      std::vector<box<N>> wanted;
      if (shares_storage) {
        auto known = blocks_of.find(p);
        if (known == blocks_of.end()) {
          known = blocks_of.emplace(p, d.blocks(place(place::unchecked{p}))).first;
        }
        wanted = wanted_of(known->second, number);
      } else {
        wanted = shape.wanted(b);
      }
      found = wanted_by.emplace(std::pair(p, number), std::move(wanted)).first;
    }
    return found->second;
  };
  const point<N> none;
  for (const point<N>& shift : shape.shifts()) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      for (const box<N>& w : wanted_at(here, i, mine[i])) {
        index.for_each_in(w + (none - shift), [&](const box<N>& c, int p, std::size_t number) {
          if (p != here || number != i || shift != none) {
            plan.receive(p, i, (c + shift) & w, number, shift);
          }
        });
      }
      index.for_each_in(shape.reached_from(mine[i] + shift), [&](const box<N>& b, int p, std::size_t number) {
        if (p == here && number == i && shift == none) {
          return;
        }
        for (const box<N>& w : wanted_at(p, number, b)) {
          if (const box<N> cells = (mine[i] + shift) & w; !cells.empty()) {
            plan.send(p, i, cells + (none - shift), number, shift);
          }
        }
      });
    }
  }
  return std::move(plan).sorted();
}

/// The same the other way round: ghosts go to their owners.
template <std::size_t N>
std::vector<neighbour_patches<N>> turned_round(std::vector<neighbour_patches<N>> plan) {
  const point<N> none;
  for (neighbour_patches<N>& n : plan) {
    std::swap(n.out, n.in);
    for (std::vector<patch<N>>* list : {&n.out, &n.in}) {
      for (patch<N>& p : *list) {
        p.shift = none - p.shift;
      }
    }
  }
  return plan;
}

/// What place `here` sends and gets when cells of dist a go to those of dist b.
template <std::size_t N>
std::vector<neighbour_patches<N>> transfer_plan(const dist<N>& a, const dist<N>& b, int here) {
  plan_of_place<N> plan;
  const place self(place::unchecked{here});
  const std::vector<box<N>> from = a.blocks(self);
  const std::vector<box<N>> to = b.blocks(self);
  const all_blocks<N> sources(a);
  const all_blocks<N> targets(b);
  for (std::size_t i = 0; i < from.size(); ++i) {
    targets.for_each_in(from[i],
                        [&](const box<N>& t, int p, std::size_t number) { plan.send(p, i, from[i] & t, number, {}); });
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    sources.for_each_in(to[i],
                        [&](const box<N>& s, int p, std::size_t number) { plan.receive(p, i, to[i] & s, number, {}); });
  }
  return std::move(plan).sorted();
}

}  // namespace tactus::detail
