// SPDX-License-Identifier: Apache-2.0
// Which cells go where: the plans of exchanges. docs/protocols/ghosts.md, "Plans".
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/array/impl/box_index.hpp>
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
  explicit all_blocks(const tactus::dist<N>& d) : dist_(d) {
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

  [[nodiscard]] const tactus::dist<N>& dist() const noexcept { return dist_; }

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
  tactus::dist<N> dist_;
  std::vector<block> blocks_;
  box_index<N> index_;
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

/// A plan of ghosts the other way round: they go to their owners.
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
