// SPDX-License-Identifier: Apache-2.0
// Finds the one of many disjoint boxes that has a point.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/base/impl/algorithms.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tactus::detail {

/// A tree of bounding boxes over boxes of members. About log(boxes) steps a search.
template <std::size_t N>
class box_index {
public:
  struct item {
    box<N> where;
    std::size_t member = 0;
  };

  box_index() = default;
  explicit box_index(std::vector<item> items) : items_(std::move(items)) {
    if (!items_.empty()) {
      nodes_.reserve(2 * items_.size());
      build(0, items_.size());
    }
  }

  [[nodiscard]] const item* find(const point<N>& p) const noexcept {
    return nodes_.empty() ? nullptr : find_below(0, p);
  }

  /// Calls f(item) for each that has a point in common with `b`.
  template <class F>
  void for_each_in(const box<N>& b, F&& f) const {
    if (!nodes_.empty() && !b.empty()) {
      visit_below(0, b, f);
    }
  }

private:
  struct node {
    box<N> all;
    std::size_t first = 0;
    std::size_t count = 0;   // of items; 1: a leaf
    std::size_t second = 0;  // child; the first one follows its parent
  };

  std::size_t build(std::size_t first, std::size_t last) {
    const std::size_t self = nodes_.size();
    nodes_.push_back({around(first, last), first, last - first, 0});
    if (last - first > 1) {
      const std::size_t middle = first + (last - first) / 2;
      const std::size_t axis = longest_axis(nodes_[self].all);
      std::nth_element(items_.begin() + static_cast<std::ptrdiff_t>(first),
                       items_.begin() + static_cast<std::ptrdiff_t>(middle),
                       items_.begin() + static_cast<std::ptrdiff_t>(last),
                       [axis](const item& a, const item& b) { return a.where.lo[axis] < b.where.lo[axis]; });
      build(first, middle);
      const std::size_t second = build(middle, last);
      nodes_[self].second = second;
    }
    return self;
  }

  [[nodiscard]] box<N> around(std::size_t first, std::size_t last) const noexcept {
    box<N> all = items_[first].where;
    for (std::size_t i = first + 1; i < last; ++i) {
      for (std::size_t d = 0; d < N; ++d) {
        all.lo[d] = std::min(all.lo[d], items_[i].where.lo[d]);
        all.hi[d] = std::max(all.hi[d], items_[i].where.hi[d]);
      }
    }
    return all;
  }

  [[nodiscard]] static std::size_t longest_axis(const box<N>& b) noexcept {
    std::size_t longest = 0;
    for (std::size_t d = 1; d < N; ++d) {
      longest = b.extent(d) > b.extent(longest) ? d : longest;
    }
    return longest;
  }

  template <class F>
  void visit_below(std::size_t at, const box<N>& b, F& f) const {
    const node& n = nodes_[at];
    if ((n.all & b).empty()) {
      return;
    }
    if (n.count == 1) {
      f(items_[n.first]);
      return;
    }
    visit_below(at + 1, b, f);
    visit_below(n.second, b, f);
  }

  [[nodiscard]] const item* find_below(std::size_t at, const point<N>& p) const noexcept {
    const node& n = nodes_[at];
    if (!n.all.contains(p)) {
      return nullptr;
    }
    if (n.count == 1) {
      return &items_[n.first];
    }
    const item* const found = find_below(at + 1, p);
    return found != nullptr ? found : find_below(n.second, p);
  }

  std::vector<item> items_;
  std::vector<node> nodes_;
};

}  // namespace tactus::detail
