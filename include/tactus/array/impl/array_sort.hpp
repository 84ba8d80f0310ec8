// SPDX-License-Identifier: Apache-2.0
// dist_array::sort(): each place sorts what it has; samples say where to cut it, so that each gets about as much; each merges its cut, and
// sends it to the cells where it belongs. Two messages from each place to each other, and about three times the memory of a part.
#pragma once

#include <tactus/array/dist_array_ref.hpp>
#include <tactus/array/impl/array_operations.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/place/async_at.hpp>
#include <tactus/place/at_each.hpp>
#include <tactus/place/place_local.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// An element with the number of the cell that it comes from: equal ones keep their order.
template <class T>
using sorted_item = std::pair<T, std::uint64_t>;

template <class Less>
struct item_less {
  Less less;
  template <class T>
  bool operator()(const sorted_item<T>& a, const sorted_item<T>& b) {
    return less(a.first, b.first) || (!less(b.first, a.first) && a.second < b.second);
  }
};

/// By what has come: a sent_function.
template <class Sent>
[[nodiscard]] auto item_order(const Sent& less) {
  return item_less<std::decay_t<decltype(to_be_called(less))>>{to_be_called(less)};
}

/// What a place has of a sort.
template <class T>
struct sort_part {
  using items = std::vector<sorted_item<T>>;
  items mine;               // of its cells
  std::vector<items> came;  // of its cut, by the place that has sent it
};

/// One of the samples, and for how many elements it stands.
template <class T>
struct sort_sample {
  sorted_item<T> item;
  double weight = 0;
};

template <class T, class Less>
class array_sorter {
  using ref = dist_array_ref<T, 1>;
  using items = std::vector<sorted_item<T>>;
  using samples = std::vector<sort_sample<T>>;
  using state = place_local_ref<sort_part<T>>;

public:
  array_sorter(const ref& h, const dist<1>& d, Less less) : h_(h), dist_(d), group_(d.group()), less_(less) {}

  void sort() {
    const place_local<sort_part<T>> parts;
    const items cuts = chosen(sampled(parts.ref()));
    const std::vector<std::uint64_t> sizes = exchanged(parts.ref(), cuts);
    std::vector<std::uint64_t> first{0};
    for (const std::uint64_t n : sizes) {
      first.push_back(first.back() + n);
    }
    put_back(parts.ref(), first);
  }

private:
  // Each place sorts what it has, and tells some of it, evenly.
  std::vector<samples> sampled(state s) {
    return answers_of<samples>(group_, [h = h_, s, less = less_, places = group_.size()]() mutable {
      array_access<T, 1>::part(h, "sort").check_closed("sort");
      items& mine = s->mine;
      const dist<1> d = h.dist();
      for (const view<T, 1>& u : h.blocks()) {
        std::uint64_t number = number_of(d, u.resident().lo);
        u.resident().each([&](const point<1>& x) { mine.emplace_back(u[x], number++); });
      }
      std::sort(mine.begin(), mine.end(), item_order(less));
      constexpr std::size_t k_for_each_place = 16;
      samples some;
      const std::size_t n = std::min(mine.size(), k_for_each_place * places);
      for (std::size_t i = 0; i < n; ++i) {
        some.push_back(
            {mine[(2 * i + 1) * mine.size() / (2 * n)], static_cast<double>(mine.size()) / static_cast<double>(n)});
      }
      s->came.resize(places);
      return some;
    });
  }

  // The least element of each cut but the first.
  items chosen(const std::vector<samples>& of_places) {
    samples all;
    double elements = 0;
    for (const samples& some : of_places) {
      for (const sort_sample<T>& one : some) {
        all.push_back(one);
        elements += one.weight;
      }
    }
    std::sort(all.begin(), all.end(),
              [by = item_order(less_)](const sort_sample<T>& a, const sort_sample<T>& b) mutable {
                return by(a.item, b.item);
              });
    items cuts;
    double before = 0;
    for (const sort_sample<T>& one : all) {
      while (cuts.size() + 1 < group_.size() &&
             before >= elements * static_cast<double>(cuts.size() + 1) / static_cast<double>(group_.size())) {
        cuts.push_back(one.item);
      }
      before += one.weight;
    }
    return cuts;
  }

  // Each place sends the cuts; who has one merges what has come, and says how much that is.
  std::vector<std::uint64_t> exchanged(state s, const items& cuts) {
    at_each(
        group_,
        [s, less = less_, h = h_](const items& at, const place_group& group) {
          const std::size_t me = member_of(group);
          items mine = std::move(s->mine);
          auto first = mine.begin();
          for (std::size_t k = 0; k < group.size(); ++k) {
            const auto last = k < at.size() ? std::lower_bound(first, mine.end(), at[k], item_order(less)) : mine.end();
            items piece(std::make_move_iterator(first), std::make_move_iterator(last));
            count(h, group[k], piece);
            async_at(to_reach(group[k]), [s, me](items&& came) { s->came[me] = std::move(came); }, std::move(piece));
            first = last;
          }
        },
        cuts, group_);
    return answers_of<std::uint64_t>(group_, [s, less = less_] {
      std::vector<items> pieces = std::move(s->came);
      while (pieces.size() > 1) {  // two and two
        std::vector<items> merged;
        for (std::size_t i = 0; i + 1 < pieces.size(); i += 2) {
          merged.push_back(merged_of(pieces[i], pieces[i + 1], less));
        }
        if (pieces.size() % 2 != 0) {
          merged.push_back(std::move(pieces.back()));
        }
        pieces = std::move(merged);
      }
      s->mine = std::move(pieces.front());
      return std::uint64_t{s->mine.size()};
    });
  }

  // What was in both, which are sorted and are empty then.
  static items merged_of(items& a, items& b, const Less& less) {
    items both;
    both.reserve(a.size() + b.size());
    std::merge(std::make_move_iterator(a.begin()), std::make_move_iterator(a.end()), std::make_move_iterator(b.begin()),
               std::make_move_iterator(b.end()), std::back_inserter(both), item_order(less));
    a = {};
    b = {};
    return both;
  }

  // first[k]: how many elements are in cuts before that of place k.
  void put_back(state s, const std::vector<std::uint64_t>& first) {
    at_each(
        group_,
        [s, h = h_](const std::vector<std::uint64_t>& begins, const place_group& group) {
          items mine = std::move(s->mine);
          const dist<1> d = h.dist();
          std::map<place, items> by_owner;
          std::uint64_t number = begins[member_of(group)];
          std::size_t at = 0;
          for_each_cell(d, number, mine.size(), [&](const point<1>& x) {
            by_owner[d.owner(x)].emplace_back(std::move(mine[at++].first), static_cast<std::uint64_t>(index_t{x}));
          });
          for (auto& [owner, cells] : by_owner) {
            count(h, owner, cells);
            async_at(
                to_reach(owner),
                [h](items&& of_cells) {
                  array_part<T, 1>& p = array_access<T, 1>::part(h, "sort");
                  for (sorted_item<T>& one : of_cells) {
                    *p.find(point<1>(static_cast<index_t>(one.second))) = std::move(one.first);
                  }
                },
                std::move(cells));
          }
        },
        first, group_);
  }

  static void count(const ref& h, place to, const items& what) {
    if (to != here() && !what.empty()) {
      array_access<T, 1>::count(h, array_operation::sort, 1, array_access<T, 1>::bytes_of(what));
    }
  }

  static std::size_t member_of(const place_group& group) {
    return static_cast<std::size_t>(std::find(group.begin(), group.end(), here()) - group.begin());
  }

  // The number of a cell, in the order of the region.
  static std::uint64_t number_of(const dist<1>& d, const point<1>& x) {
    std::uint64_t before = 0;
    for (const box<1>& b : d.region().boxes()) {
      if (b.contains(x)) {
        return before + static_cast<std::uint64_t>(x[0] - b.lo[0]);
      }
      before += b.size();
    }
    return before;
  }

  // f(point) of n cells from that number on.
  template <class F>
  static void for_each_cell(const dist<1>& d, std::uint64_t first, std::uint64_t n, F&& f) {
    for (const box<1>& b : d.region().boxes()) {
      const std::uint64_t size = b.size();
      if (first >= size) {
        first -= size;
        continue;
      }
      for (; n != 0 && first < size; ++first, --n) {
        f(point<1>(b.lo[0] + static_cast<index_t>(first)));
      }
      first = 0;
    }
  }

  ref h_;
  dist<1> dist_;
  place_group group_;
  Less less_;
};

}  // namespace tactus::detail
