// SPDX-License-Identifier: Apache-2.0
// Regions: any finite sets of points.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/array/impl/region_loops.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/base/impl/api.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tactus {

namespace detail {

/// The normal form of sets made of boxes: bands along the first axis, in their order; of each the same over the axes that follow; bands
/// that touch and have equal cross-sections are one.
template <std::size_t N>
class box_sets {
public:
  using list = std::vector<box<N>>;

  /// Of the points for which keep(is in a, is in b), where keep(false, false) is false.
  template <class Keep>
  static list combined(std::span<const box<N>> a, std::span<const box<N>> b, Keep keep) {
    sources in{pointers_to(a), pointers_to(b)};
    list out;
    along(0, in, keep, out);
    return out;
  }

private:
  using pointers = std::vector<const box<N>*>;
  struct sources {
    pointers a;
    pointers b;
  };

  static pointers pointers_to(std::span<const box<N>> boxes) {
    pointers p;
    for (const box<N>& x : boxes) {
      if (!x.empty()) {
        p.push_back(&x);
      }
    }
    return p;
  }

  static void add_cuts(const pointers& from, std::size_t axis, std::vector<index_t>& cuts) {
    for (const box<N>* x : from) {
      cuts.push_back(x->lo[axis]);
      cuts.push_back(x->hi[axis]);
    }
  }

  // Takes what begins at `at` from a list that is ordered by that, and drops what ends there.
  static void sweep(pointers& active, const pointers& from, std::size_t& next, std::size_t axis, index_t at) {
    std::erase_if(active, [axis, at](const box<N>* x) { return x->hi[axis] <= at; });
    for (; next < from.size() && from[next]->lo[axis] <= at; ++next) {
      active.push_back(from[next]);
    }
  }

  // Boxes of `in` agree in the axes before. Of what is appended to `out`, those axes are still to be set.
  template <class Keep>
  static void along(std::size_t axis, sources& in, Keep keep, list& out) {
    if (axis == N) {
      if (keep(!in.a.empty(), !in.b.empty())) {
        out.emplace_back();
      }
      return;
    }
    std::vector<index_t> cuts;
    add_cuts(in.a, axis, cuts);
    add_cuts(in.b, axis, cuts);
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    const auto by_begin = [axis](const box<N>* x, const box<N>* y) { return x->lo[axis] < y->lo[axis]; };
    std::sort(in.a.begin(), in.a.end(), by_begin);
    std::sort(in.b.begin(), in.b.end(), by_begin);

    sources active;
    std::size_t next_a = 0;
    std::size_t next_b = 0;
    std::size_t band = out.size();  // where the last one begins
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      sweep(active.a, in.a, next_a, axis, cuts[i]);
      sweep(active.b, in.b, next_b, axis, cuts[i]);
      const std::size_t begin = out.size();
      sources section = active;
      along(axis + 1, section, keep, out);
      if (begin == out.size()) {
        continue;
      }
      const bool joins = band < begin && out[band].hi[axis] == cuts[i] && are_alike(axis, out, band, begin);
      if (joins) {
        out.resize(begin);
      } else {
        band = begin;
      }
      for (std::size_t k = band; k < out.size(); ++k) {
        out[k].lo[axis] = joins ? out[k].lo[axis] : cuts[i];
        out[k].hi[axis] = cuts[i + 1];
      }
    }
  }

  // Whether the band at `band` and the one behind it, at `begin`, have equal cross-sections.
  static bool are_alike(std::size_t axis, const list& out, std::size_t band, std::size_t begin) {
    if (begin - band != out.size() - begin) {
      return false;
    }
    for (std::size_t k = 0; k < begin - band; ++k) {
      for (std::size_t d = axis + 1; d < N; ++d) {
        if (out[band + k].lo[d] != out[begin + k].lo[d] || out[band + k].hi[d] != out[begin + k].hi[d]) {
          return false;
        }
      }
    }
    return true;
  }
};

/// Whether rows [lo, hi), one after another, have all points with integral coordinates that their convex hull has; the first and the last,
/// if there are any, are not empty.
[[nodiscard]] TACTUS_API bool are_rows_of_convex(std::span<const std::pair<index_t, index_t>> rows);

}  // namespace detail

/// Any finite set of points with N axes: half-spaces, triangles, bands, sparse sets. Kept as disjoint boxes in a normal form that depends
/// on the set only, so == compares sets, and every operation of sets stays among regions. A value; copies are deep; travels.
/// Memory: 2N words a box; a set without any structure has a box for each run of points along the last axis.
/// ghost-regions.txt, section II.
/// Errors: usage_error of size(), and where a box has more points than can be counted; std::bad_alloc.
/// \snippet 19_regions.cpp region
/// \ingroup arrays
template <std::size_t N>
class region {
public:
  /// Empty.
  region() = default;

  /// The points of a box.
  region(const box<N>& b) {  // NOLINT(google-explicit-constructor): a box is a region
    if (!b.empty()) {
      boxes_.push_back(b);
    }
  }

  /// The points of all boxes, which may overlap.
  explicit region(const std::vector<box<N>>& boxes)
      : boxes_(sets::combined(boxes, {}, [](bool in_a, bool) { return in_a; })) {}

  /// Those points of `within` for which pred(point), or pred(i, j, ...), holds; it is called once for each, in their order.
  template <class Pred>
  [[nodiscard]] static region where(const box<N>& within, Pred pred) {
    std::vector<box<N>> runs;
    within.each([&](const point<N>& p) {
      if (!holds(pred, p)) {
        return;
      }
      if (!runs.empty() && runs.back().hi == p + (point<N>::all(1) - point<N>::unit(N - 1))) {
        ++runs.back().hi[N - 1];
      } else {
        runs.push_back({p, p + point<N>::all(1)});
      }
    });
    return region(runs);
  }

  /// Disjoint, not empty, and in their order: by lower corner. Until the region is assigned to, or goes.
  [[nodiscard]] std::span<const box<N>> boxes() const& noexcept { return boxes_; }

  /// The same of a region that goes: for (box b : h.boundary().boxes()).
  [[nodiscard]] std::vector<box<N>> boxes() && noexcept { return std::move(boxes_); }

  /// How many points. usage_error where that cannot be counted.
  [[nodiscard]] std::size_t size() const {
    std::size_t points = 0;
    for (const box<N>& b : boxes_) {
      points += b.size();
      if (points > static_cast<std::size_t>(std::numeric_limits<index_t>::max())) {
        throw usage_error("tactus: the region within " + to_string(bounding_box()) +
                          " has more points than can be counted; make it smaller");
      }
    }
    return points;
  }

  /// Whether there is no point.
  [[nodiscard]] bool empty() const noexcept { return boxes_.empty(); }

  /// Whether it is empty or all points of one box.
  [[nodiscard]] bool is_box() const noexcept { return boxes_.size() <= 1; }

  /// Whether it has all points with integral coordinates that its convex hull has; with three and more axes, whether each section by a
  /// plane along two axes is so. Cost: each row of points is looked at.
  [[nodiscard]] bool is_convex() const {
    if (is_box()) {
      return true;
    }
    if constexpr (N == 1) {
      return false;
    } else {
      for (std::size_t a = 0; a < N; ++a) {
        for (std::size_t b = a + 1; b < N; ++b) {
          if (!sections_are_convex(a, b)) {
            return false;
          }
        }
      }
      return true;
    }
  }

  /// Cost: a search among the boxes.
  [[nodiscard]] bool contains(const point<N>& p) const noexcept { return box_with(p) != boxes_.size(); }

  /// Whether it has all points of the other.
  [[nodiscard]] bool contains(const region& other) const { return (other - *this).empty(); }

  /// The smallest box with all points; [0, 0) of none.
  [[nodiscard]] box<N> bounding_box() const noexcept {
    if (boxes_.empty()) {
      return {};
    }
    box<N> all = boxes_.front();
    for (const box<N>& b : boxes_) {
      for (std::size_t d = 0; d < N; ++d) {
        all.lo[d] = std::min(all.lo[d], b.lo[d]);
        all.hi[d] = std::max(all.hi[d], b.hi[d]);
      }
    }
    return all;
  }

  /// All points within these widths of one of it, along the axes: each point grows to a box.
  [[nodiscard]] region halo(const widths<N>& w) const {
    std::vector<box<N>> grown;
    for (const box<N>& b : boxes_) {
      grown.push_back(b.halo(w));
    }
    return region(grown);
  }

  /// The indices that its points have along one axis, which is less than N.
  [[nodiscard]] region<1> projection(std::size_t axis) const {
    std::vector<box<1>> shadows;
    for (const box<N>& b : boxes_) {
      shadows.push_back(range(b.lo[axis], b.hi[axis]));
    }
    return region<1>(shadows);
  }

  [[nodiscard]] friend region operator&(const region& a, const region& b) {
    return normal(sets::combined(a.boxes_, b.boxes_, [](bool in_a, bool in_b) { return in_a && in_b; }));
  }
  [[nodiscard]] friend region operator|(const region& a, const region& b) {
    return normal(sets::combined(a.boxes_, b.boxes_, [](bool in_a, bool in_b) { return in_a || in_b; }));
  }
  [[nodiscard]] friend region operator-(const region& a, const region& b) {
    return normal(sets::combined(a.boxes_, b.boxes_, [](bool in_a, bool in_b) { return in_a && !in_b; }));
  }

  /// Moved by v.
  [[nodiscard]] friend region operator+(region r, const point<N>& v) {
    for (box<N>& b : r.boxes_) {
      b = b + v;
    }
    return r;
  }

  /// All pairs: the axes of the one, then those of the other.
  template <std::size_t M>
  [[nodiscard]] friend region<N + M> operator*(const region& a, const region<M>& b) {
    std::vector<box<N + M>> pairs;
    for (const box<N>& x : a.boxes()) {
      for (const box<M>& y : b.boxes()) {
        pairs.push_back(x * y);
      }
    }
    return region<N + M>(pairs);
  }

  /// The same points.
  [[nodiscard]] friend bool operator==(const region& a, const region& b) noexcept { return a.boxes_ == b.boxes_; }

  /// f(point) or f(i, j, ...) for each point: box by box, in each in the order of its points.
  template <class F>
  void each(F&& f) const {
    for (const box<N>& b : boxes_) {
      b.each(f);
    }
  }

#ifdef DOXYGEN
  /// Goes over the points in the order of each(). The region has to stay.
  using iterator = implementation_defined;
#else
  class iterator {
  public:
    using value_type = point<N>;
    using difference_type = index_t;
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;
    using reference = point<N>;
    using pointer = void;

    iterator() noexcept = default;
    [[nodiscard]] point<N> operator*() const noexcept { return *at_; }
    iterator& operator++() noexcept {
      if (++at_ == box_->end()) {
        enter(box_ + 1);
      }
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.box_ == b.box_ && a.at_ == b.at_;
    }

  private:
    friend class region;
    iterator(const box<N>* first, const box<N>* end) noexcept : end_(end) { enter(first); }
    void enter(const box<N>* b) noexcept {
      box_ = b;
      at_ = b == end_ ? typename box<N>::iterator() : b->begin();
    }
    const box<N>* box_ = nullptr;
    const box<N>* end_ = nullptr;
    typename box<N>::iterator at_{};
  };
#endif
  /// The first point.
  [[nodiscard]] iterator begin() const noexcept { return {boxes_.data(), boxes_.data() + boxes_.size()}; }

  /// Behind the last one.
  [[nodiscard]] iterator end() const noexcept { return {boxes_.data() + boxes_.size(), boxes_.data() + boxes_.size()}; }

  /// How it travels.
  template <class Archive>
  void serialize(Archive& ar) {
    ar & boxes_;
    if constexpr (Archive::loading) {
      *this = region(boxes_);  // whatever has come
    }
  }

private:
  template <std::size_t M>
  friend class region;
  using sets = detail::box_sets<N>;

  static region normal(std::vector<box<N>> boxes) {
    region r;
    r.boxes_ = std::move(boxes);
    return r;
  }

  template <class Pred>
  static bool holds(Pred& pred, const point<N>& p) {
    if constexpr (std::invocable<Pred&, const point<N>&>) {
      return static_cast<bool>(pred(p));
    } else {
      return [&]<std::size_t... D>(std::index_sequence<D...>) {
        return static_cast<bool>(pred(p[D]...));
      }(std::make_index_sequence<N>());
    }
  }

  // The number of the box that has p, or how many there are: along each axis the boxes that are left lie in bands, in order.
  [[nodiscard]] std::size_t box_with(const point<N>& p) const noexcept {
    auto first = boxes_.begin();
    auto last = boxes_.end();
    for (std::size_t d = 0; d < N; ++d) {
      last = std::upper_bound(first, last, p[d], [d](index_t i, const box<N>& b) { return i < b.lo[d]; });
      if (first == last || (last - 1)->hi[d] <= p[d]) {
        return boxes_.size();
      }
      first = std::lower_bound(first, last, (last - 1)->lo[d], [d](const box<N>& b, index_t i) { return b.lo[d] < i; });
    }
    return static_cast<std::size_t>(first - boxes_.begin());
  }

  // Of the planes that leave all axes but a and b as they are.
  [[nodiscard]] bool sections_are_convex(std::size_t a, std::size_t b) const {
    box<N> others = bounding_box();
    others.lo[a] = others.lo[b] = 0;
    others.hi[a] = others.hi[b] = 1;
    for (const point<N>& through : others) {
      std::vector<box<2>> cut;
      for (box<N> x : boxes_) {
        const box<2> section = range(x.lo[a], x.hi[a]) * range(x.lo[b], x.hi[b]);
        x.lo[a] = x.lo[b] = 0;
        x.hi[a] = x.hi[b] = 1;
        if (x.contains(through)) {
          cut.push_back(section);
        }
      }
      if (!is_convex_in_the_plane(region<2>(cut))) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] static bool is_convex_in_the_plane(const region<2>& r) {
    std::vector<std::pair<index_t, index_t>> rows;
    for (const box<2>& b : r.boxes()) {
      const index_t next = r.boxes().front().lo[0] + static_cast<index_t>(rows.size());
      if (b.lo[0] < next) {
        return false;  // two runs in a row
      }
      rows.insert(rows.end(), static_cast<std::size_t>(b.lo[0] - next), {0, 0});  // rows without any
      rows.insert(rows.end(), static_cast<std::size_t>(b.extent(0)), {b.lo[1], b.hi[1]});
    }
    return detail::are_rows_of_convex(rows);
  }

  std::vector<box<N>> boxes_;
};

#ifndef DOXYGEN
template <std::size_t N>
region(box<N>) -> region<N>;
template <std::size_t N>
region(std::vector<box<N>>) -> region<N>;
#endif

namespace detail {

template <std::size_t N>
struct loop_over<region<N>> : loop_over_boxes<N> {
  static std::span<const box<N>> boxes(const region<N>& r) noexcept { return r.boxes(); }
};

}  // namespace detail

#ifdef DOXYGEN
/// Calls f for each point of a box or region, in parallel, as for_each over integers: each call behaves as a task of its own. They are dealt
/// out in rows along the last axis, or pieces of such, in whose order a worker begins them.
/// \param points a box or a region
/// \param f f(point), or f(i, j, ...)
/// Suspends: until all have been called.
/// \snippet 19_regions.cpp loops
/// \ingroup arrays
template <class Points, class F>
void for_each(const Points& points, F&& f);

/// The same with so many points to a share of the loop, about; rows are cut where they are longer.
/// \ingroup arrays
template <class Points, std::integral Grain, class F>
void for_each(const Points& points, Grain grain, F&& f);

/// Combines f of all points of a box or region. What is combined with what depends on the points and the grain only, so results of floating
/// point repeat. Else as reduce over integers.
/// \param points a box or a region
/// \param op an operator, or a monoid
/// \param f f(point), or f(i, j, ...)
/// \return what is combined; the identity of a monoid, else T{}, where there is no point
/// Suspends: until all have been combined.
/// \snippet 19_regions.cpp loops
/// \ingroup arrays
template <class Points, class Op, class F>
T reduce(const Points& points, Op&& op, F&& f);

/// The same with so many points to a share of it, about.
/// \ingroup arrays
template <class Points, std::integral Grain, class Op, class F>
T reduce(const Points& points, Grain grain, Op&& op, F&& f);
#endif

}  // namespace tactus
