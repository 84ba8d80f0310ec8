// SPDX-License-Identifier: Apache-2.0
// Which cells go where when ghosts are exchanged at once, to all neighbours. docs/protocols/ghosts.md, "Plans".
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/array/box.hpp>
#include <tactus/array/dist.hpp>
#include <tactus/array/impl/ghost_shape.hpp>
#include <tactus/array/impl/patches.hpp>
#include <tactus/array/region.hpp>

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace tactus::detail {

/// What each block gets of its ghosts, by place and number.
template <std::size_t N>
class wanted_ghosts {
public:
  wanted_ghosts(const dist<N>& d, const array_options<N>& o)
      : dist_(d), shape_(d, o), shares_storage_(o.storage == block_storage::bounding_box) {}

  [[nodiscard]] const ghost_shape<N>& shape() const noexcept { return shape_; }

  /// f(box) for each; `b` is the block of that number at place p.
  template <class F>
  void for_each(int p, std::size_t number, const box<N>& b, F&& f) {
    if (!shares_storage_) {
      shape_.for_each_wanted(b, f);
      return;
    }
    auto known = of_places_.find(p);
    if (known == of_places_.end()) {
      known = of_places_.emplace(p, shared(dist_.blocks(place(place::unchecked{p})))).first;
    }
    for (const box<N>& w : known->second[number]) {
      f(w);
    }
  }

private:
  // Where blocks share their storage, the first one that has a ghost gets it.
  [[nodiscard]] std::vector<std::vector<box<N>>> shared(const std::vector<box<N>>& blocks) const {
    std::vector<std::vector<box<N>>> all;
    region<N> taken(blocks);
    for (const box<N>& b : blocks) {
      std::vector<box<N>> wanted;
      shape_.for_each_wanted(b, [&](const box<N>& w) { wanted.push_back(w); });
      if (blocks.size() > 1) {
        const region<N> whole(wanted);
        const region<N> left = whole - taken;
        wanted.assign(left.boxes().begin(), left.boxes().end());
        taken = taken | whole;
      }
      all.push_back(std::move(wanted));
    }
    return all;
  }

  const dist<N>& dist_;
  ghost_shape<N> shape_;
  bool shares_storage_;
  std::map<int, std::vector<std::vector<box<N>>>> of_places_;
};

/// What place `here` sends and gets.
template <std::size_t N>
std::vector<neighbour_patches<N>> ghost_plan(const dist<N>& d, const array_options<N>& o, int here,
                                             const all_blocks<N>& index) {
  wanted_ghosts<N> wanted(d, o);
  const std::vector<box<N>> mine = d.blocks(place(place::unchecked{here}));
  plan_of_place<N> plan;
  const point<N> none;
  for (const point<N>& shift : wanted.shape().shifts()) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      // Who is near this image of the block gets some of it, and gives some to the block from an image of its own on the other side.
      const box<N> image = mine[i] + (none - shift);
      index.for_each_in(wanted.shape().near(image), [&](const box<N>& other, int p, std::size_t number) {
        if (p == here && number == i && shift == none) {
          return;  // the block itself
        }
        wanted.for_each(here, i, mine[i], [&](const box<N>& w) {
          if (const box<N> cells = (other + shift) & w; !cells.empty()) {
            plan.receive(p, i, cells, number, shift);
          }
        });
        wanted.for_each(p, number, other, [&](const box<N>& w) {
          if (const box<N> cells = image & w; !cells.empty()) {
            plan.send(p, i, cells + shift, number, none - shift);
          }
        });
      });
    }
  }
  return std::move(plan).sorted();
}

}  // namespace tactus::detail
