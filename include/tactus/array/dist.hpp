// SPDX-License-Identifier: Apache-2.0
// Distributions: which place has which points.
#pragma once

#include <tactus/array/box.hpp>
#include <tactus/array/impl/box_index.hpp>
#include <tactus/array/impl/regular_parts.hpp>
#include <tactus/array/impl/splitting.hpp>
#include <tactus/array/region.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/impl/algorithms.hpp>
#include <tactus/place/place.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus {

/// Parts along each axis: grid<3>{4, 2, 1}.
/// Errors: those of per_axis.
/// \snippet 19_regions.cpp dist
/// \ingroup arrays
template <std::size_t N>
using grid = per_axis<index_t, N>;

/// The axes that are to be divided: axes(0, 2).
/// Errors: std::bad_alloc.
/// \snippet 19_regions.cpp dist
/// \ingroup arrays
struct axes {
  std::vector<std::size_t> which;  ///< in any order

  /// These.
  template <std::integral... Axis>
  explicit axes(Axis... axis) : which{static_cast<std::size_t>(axis)...} {}
};

/// The type of all_axes, by which block() knows it.
/// Errors: none.
/// \snippet 19_regions.cpp dist
/// \ingroup arrays
struct all_axes_t {
  explicit all_axes_t() = default;
};

/// Says that any of the axes may be divided.
/// Errors: none.
/// \snippet 19_regions.cpp dist
/// \ingroup arrays
inline constexpr all_axes_t all_axes{};

/// Which place has which points of a region. A value: what it says does not change, copies share it, and it travels as its description.
/// The points of a place are a list of disjoint boxes, its blocks: at most one where a box is divided, many where blocks are dealt out,
/// the normal form of the region that the place has, where that is any. A place may have none.
///
/// The makers take the places last: `on` is all of them where nothing is said, a team's places, or any others, each once. Errors of the
/// makers: usage_error for a group that is empty or has a place twice, for more parts than places, for an axis that there is not, for
/// blocks or parts of no size, for what is not a box where one is needed; outside a task, where `on` is not said.
/// ghost-regions.txt, sections II and VI-A1.
/// Errors: usage_error of the makers, as said above, and of what is asked of points that it has not; std::bad_alloc.
/// \snippet 19_regions.cpp dist
/// \ingroup arrays
template <std::size_t N>
class dist {
public:
  /// Of no points, over no places.
  dist() : s_(std::make_shared<const state>()) {}
  dist(const dist&) = default;  ///< shares what it says; so does one that is moved, and what was stays usable
  dist& operator=(const dist&) = default;  ///< the same
  ~dist() = default;

  // ---- boxes, cut or dealt out ----

  /// Cuts the first axis of a box into as many parts as there are places; of n indices over P parts the first n mod P get one more.
  [[nodiscard]] static dist block(const tactus::region<N>& r, const place_group& on = places()) {
    return block(r, axes(0), on);
  }

  /// Cuts along some axes into as many parts as there are places: the way in which the largest part has the fewest cache lines in its
  /// faces and is least above the mean.
  [[nodiscard]] static dist block(const tactus::region<N>& r, const axes& divided, const place_group& on = places()) {
    check_group("block", on);
    const box<N> b = box_of("block", r);
    std::vector<index_t> extents(N);
    for (std::size_t d = 0; d < N; ++d) {
      extents[d] = b.extent(d);
    }
    std::vector<std::size_t> which = divided.which;
    std::sort(which.begin(), which.end());
    if (which.empty() || std::adjacent_find(which.begin(), which.end()) != which.end()) {
      throw usage_error("tactus::dist::block: the axes to be divided are none, or one is there twice; give each once");
    }
    for (const std::size_t axis : which) {
      check_axis("block", axis);
    }
    const std::vector<index_t> chosen = detail::choose_grid(extents, which, on.size());
    grid<N> parts;
    std::copy(chosen.begin(), chosen.end(), &parts[0]);
    return block(r, parts, on);
  }

  /// Cuts along any axes.
  [[nodiscard]] static dist block(const tactus::region<N>& r, all_axes_t, const place_group& on = places()) {
    axes all;
    for (std::size_t d = 0; d < N; ++d) {
      all.which.push_back(d);
    }
    return block(r, all, on);
  }

  /// Cuts into so many parts along each axis, which go to the places row by row; with fewer parts than places the last places get none.
  [[nodiscard]] static dist block(const tactus::region<N>& r, const grid<N>& parts, const place_group& on = places()) {
    return regular("block", box_of("block", r), parts, point<N>(), on);
  }

  /// Cuts the first two axes, into parts as near to squares as the number of places allows.
  [[nodiscard]] static dist block_block(const tactus::region<N>& r, const place_group& on = places())
    requires(N >= 2)
  {
    check_group("block_block", on);
    const auto all = static_cast<index_t>(on.size());
    index_t few = 1;
    for (index_t k = 1; k * k <= all; ++k) {
      few = all % k == 0 ? k : few;
    }
    grid<N> parts(1);
    const box<N> b = box_of("block_block", r);
    parts[0] = b.extent(0) >= b.extent(1) ? all / few : few;
    parts[1] = all / parts[0];
    return regular("block_block", b, parts, point<N>(), on);
  }

  /// Deals out the layers of one axis in turn. Of a region that is no box, those of its bounding box.
  [[nodiscard]] static dist cyclic(const tactus::region<N>& r, std::size_t axis = 0, const place_group& on = places()) {
    return dealt_out("cyclic", r, axis, 1, on);
  }

  /// Deals out blocks of so many layers of one axis in turn. Of a region that is no box, those of its bounding box.
  template <std::integral Axis, std::integral Block>
  [[nodiscard]] static dist block_cyclic(const tactus::region<N>& r, Axis axis, Block b,
                                         const place_group& on = places()) {
    return dealt_out("block_cyclic", r, static_cast<std::size_t>(axis), static_cast<index_t>(b), on);
  }

  /// Deals out blocks of size b over a grid of places, as ScaLAPACK does. Of a region that is no box, those of its bounding box.
  [[nodiscard]] static dist block_cyclic(const tactus::region<N>& r, const point<N>& b, const grid<N>& parts,
                                         const place_group& on = places()) {
    for (std::size_t d = 0; d < N; ++d) {
      check_block("block_cyclic", b[d]);
    }
    const dist all = regular("block_cyclic", r.bounding_box(), parts, b, on);
    return r.is_box() ? all : all | r;
  }

  /// One index for each place: 0 to places - 1.
  [[nodiscard]] static dist unique(const place_group& on = places())
    requires(N == 1)
  {
    check_group("unique", on);
    return regular("unique", range(0, on.size()), grid<1>(static_cast<index_t>(on.size())), point<1>(), on);
  }

  /// All at one place, of which the group is.
  [[nodiscard]] static dist constant(const tactus::region<N>& r, place p = here()) {
    return irregular("constant(...)", place_group{p}, {std::vector<box<N>>(r.boxes().begin(), r.boxes().end())});
  }

  // ---- by work ----

  /// Cuts the longer axis where the work of both sides is as the shares of the two halves of the places, and so on in each half: each place
  /// gets one box, or what of the region lies in it.
  /// \param r the points
  /// \param work called once for each point, in their order: the work there, not negative
  /// \param shares how much of it each place is to get, in any unit; equal where there are none
  /// \param on the places
  template <class Work>
  [[nodiscard]] static dist recursive_bisection(const tactus::region<N>& r, Work work,
                                                const std::vector<double>& shares = {},
                                                const place_group& on = places()) {
    check_group("recursive_bisection", on);
    const std::vector<double> of_one = detail::checked_shares("recursive_bisection", shares, on.size());
    const box<N> all = r.bounding_box();
    std::vector<double> costs(all.size());
    const auto number = [&all](const point<N>& p) {
      std::size_t n = 0;
      for (std::size_t d = 0; d < N; ++d) {
        n = n * static_cast<std::size_t>(all.extent(d)) + static_cast<std::size_t>(p[d] - all.lo[d]);
      }
      return n;
    };
    r.each([&](const point<N>& p) { costs[number(p)] = checked_work("recursive_bisection", work, p); });
    std::vector<std::vector<box<N>>> parts(on.size());
    const auto cost_at = [&](const point<N>& p) { return costs[number(p)]; };
    bisect(all, cost_at, of_one, 0, on.size(), parts);
    const dist whole = irregular("recursive_bisection(...)", on, std::move(parts));
    return r.is_box() ? whole : whole | r;
  }

  /// Cuts the region into tiles, and Morton's curve through these into runs of equal work.
  /// \param r the points
  /// \param tile how many points along each axis, 1 at least
  /// \param work called once for each point: the work there, not negative
  /// \param shares as of recursive_bisection
  /// \param on the places
  template <class Work>
  [[nodiscard]] static dist morton(const tactus::region<N>& r, const point<N>& tile, Work work,
                                   const std::vector<double>& shares = {}, const place_group& on = places()) {
    return by_curve("morton", detail::curve::morton, r, tile, work, shares, on);
  }

  /// The same along Hilbert's curve, whose runs have shorter borders.
  template <class Work>
  [[nodiscard]] static dist hilbert(const tactus::region<N>& r, const point<N>& tile, Work work,
                                    const std::vector<double>& shares = {}, const place_group& on = places()) {
    return by_curve("hilbert", detail::curve::hilbert, r, tile, work, shares, on);
  }

  // ---- as it is said ----

  /// Each point at the place that owner(point) says: called once for each, in their order, by the maker.
  template <class Owner>
    requires std::is_invocable_r_v<place, Owner&, const point<N>&>
  [[nodiscard]] static dist from(const tactus::region<N>& r, Owner owner, const place_group& on = places()) {
    check_group("from", on);
    const members index(on);
    std::vector<std::vector<box<N>>> runs(on.size());
    const point<N> one = point<N>::all(1);
    r.each([&](const point<N>& p) {
      std::vector<box<N>>& mine = runs[index.number_of("from", owner(p))];
      if (!mine.empty() && mine.back().hi == p + (one - point<N>::unit(N - 1))) {
        ++mine.back().hi[N - 1];
      } else {
        mine.push_back({p, p + one});
      }
    });
    return normal("from", on, runs);
  }

  /// Each place has these points; a place may be there several times. usage_error where parts overlap.
  [[nodiscard]] static dist from(const std::vector<std::pair<tactus::region<N>, place>>& parts,
                                 const place_group& on = places()) {
    check_group("from", on);
    const members index(on);
    std::vector<std::vector<box<N>>> boxes(on.size());
    std::vector<box<N>> all;
    std::size_t points = 0;
    for (const auto& [r, p] : parts) {
      std::vector<box<N>>& mine = boxes[index.number_of("from", p)];
      mine.insert(mine.end(), r.boxes().begin(), r.boxes().end());
      all.insert(all.end(), r.boxes().begin(), r.boxes().end());
      points += r.size();
    }
    if (tactus::region<N>(all).size() != points) {
      throw_overlap(parts);
    }
    return normal("from", on, boxes);
  }

  // ---- what it says ----

  /// All its points.
  [[nodiscard]] const tactus::region<N>& region() const& noexcept { return s_->domain; }

  /// The same of one that goes: for (point p : h.dist().region()).
  [[nodiscard]] tactus::region<N> region() && { return s_->domain; }

  /// The places that it is over, also those without points.
  [[nodiscard]] const place_group& group() const& noexcept { return s_->on; }

  /// The same of one that goes.
  [[nodiscard]] place_group group() && noexcept { return s_->on; }

  /// The place that has a point. usage_error outside of the region. Cost: some divisions where a box is cut or dealt out; else a search
  /// among the blocks.
  [[nodiscard]] place owner(const point<N>& p) const {
    check_has(p);
    return s_->on[s_->regular ? s_->regular->part_of(p) : s_->index.find(p)->member];
  }

  /// The same.
  [[nodiscard]] place operator[](const point<N>& p) const { return owner(p); }

  /// The block that has a point. usage_error, and cost, as of owner().
  [[nodiscard]] box<N> block_of(const point<N>& p) const {
    check_has(p);
    return s_->regular ? s_->regular->block_of(p) : s_->index.find(p)->where;
  }

  /// The blocks of a place, in their order; none of one that is not of the group.
  [[nodiscard]] std::vector<box<N>> blocks(place p) const {
    const std::optional<std::size_t> member = s_->who.find(p);
    return member ? blocks_of(*member) : std::vector<box<N>>();
  }

  /// The points of a place.
  [[nodiscard]] tactus::region<N> part(place p) const { return tactus::region<N>(blocks(p)); }

  /// Points of the place that has the most, by the mean over the group: 1 and above.
  [[nodiscard]] double imbalance() const {
    std::size_t most = 0;
    std::size_t all = 0;
    for (std::size_t m = 0; m < s_->on.size(); ++m) {
      std::size_t points = 0;
      if (s_->regular) {
        points = m < s_->regular->count() ? s_->regular->cells_of(m) : 0;
      } else {
        for (const box<N>& b : s_->parts[m]) {
          points += b.size();
        }
      }
      most = std::max(most, points);
      all += points;
    }
    return all == 0 ? 1 : static_cast<double>(most) * static_cast<double>(s_->on.size()) / static_cast<double>(all);
  }

  /// The same region, places and blocks, whatever made them.
  [[nodiscard]] friend bool operator==(const dist& a, const dist& b) {
    if (a.s_ == b.s_) {
      return true;
    }
    if (a.s_->on != b.s_->on || a.s_->domain != b.s_->domain) {
      return false;
    }
    if (a.s_->regular && a.s_->regular == b.s_->regular) {
      return true;
    }
    for (std::size_t m = 0; m < a.s_->on.size(); ++m) {
      if (a.blocks_of(m) != b.blocks_of(m)) {
        return false;
      }
    }
    return true;
  }

  // ---- others made of it ----

  /// The distribution of the nodes around these elements, one more along each axis: a node is with the element above it, the last layers
  /// with the one below. Blocks keep their numbers. usage_error where the region is not a box, or goes up to the largest index.
  [[nodiscard]] dist nodes() const {
    const box<N> elements = box_of("nodes", s_->domain);
    for (std::size_t d = 0; d < N; ++d) {
      if (elements.hi[d] == std::numeric_limits<index_t>::max()) {
        throw usage_error("tactus::dist::nodes: the elements " + to_string(elements) +
                          " go up to the largest index along axis " + std::to_string(d) +
                          ", and nodes go one further; begin lower");
      }
    }
    std::vector<std::vector<box<N>>> parts;
    for (std::size_t m = 0; m < s_->on.size(); ++m) {
      parts.push_back(blocks_of(m));
      for (box<N>& b : parts.back()) {
        for (std::size_t d = 0; d < N; ++d) {
          b.hi[d] += b.hi[d] == elements.hi[d] ? 1 : 0;
        }
      }
    }
    return irregular(s_->made_by + ".nodes()", s_->on, std::move(parts));
  }

  /// Only the points that are in r too.
  [[nodiscard]] friend dist operator|(const dist& d, const tactus::region<N>& r) {
    std::vector<std::vector<box<N>>> parts;
    for (std::size_t m = 0; m < d.s_->on.size(); ++m) {
      std::vector<box<N>>& mine = parts.emplace_back();
      for (const box<N>& b : d.blocks_of(m)) {
        const tactus::region<N> both = tactus::region<N>(b) & r;
        mine.insert(mine.end(), both.boxes().begin(), both.boxes().end());
      }
    }
    return irregular(d.restricted(), d.s_->on, std::move(parts));
  }

  /// Only those of its places that are in g, with their points.
  [[nodiscard]] friend dist operator|(const dist& d, const place_group& g) {
    std::vector<place> left;
    std::vector<std::vector<box<N>>> parts;
    for (std::size_t m = 0; m < d.s_->on.size(); ++m) {
      if (std::find(g.begin(), g.end(), d.s_->on[m]) != g.end()) {
        left.push_back(d.s_->on[m]);
        parts.push_back(d.blocks_of(m));
      }
    }
    return irregular(d.restricted(), place_group(left.begin(), left.end()), std::move(parts));
  }

#ifndef DOXYGEN
  // For errors: "morton(...)".
  [[nodiscard]] const std::string& made_by() const noexcept { return s_->made_by; }
#endif

  /// How it travels.
  template <class Archive>
  void serialize(Archive& ar) {
    std::string by = s_->made_by;
    place_group on = s_->on;
    bool is_regular = s_->regular.has_value();
    ar & by & on & is_regular;
    if (is_regular) {
      detail::regular_parts<N> how = s_->regular.value_or(detail::regular_parts<N>());
      for (detail::axis_cut& a : how.along) {
        ar & a.lo & a.extent & a.parts & a.block;
      }
      if constexpr (Archive::loading) {
        *this = regular_again(std::move(by), on, how);
      }
    } else {
      std::vector<std::vector<box<N>>> parts = s_->parts;
      ar & parts;
      if constexpr (Archive::loading) {
        *this = irregular_again(std::move(by), on, std::move(parts));
      }
    }
  }

private:
  // Numbers of places in a group.
  class members {
  public:
    members() = default;
    explicit members(const place_group& on) {
      for (std::size_t i = 0; i < on.size(); ++i) {
        numbers_.emplace_back(on[i], i);
      }
      std::sort(numbers_.begin(), numbers_.end());
    }
    [[nodiscard]] std::optional<std::size_t> find(place p) const noexcept {
      const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), std::pair(p, std::size_t{0}));
      return found != numbers_.end() && found->first == p ? std::optional(found->second) : std::nullopt;
    }
    [[nodiscard]] std::size_t number_of(const char* call, place p) const {
      if (const std::optional<std::size_t> number = find(p)) {
        return *number;
      }
      throw usage_error(std::string("tactus::dist::") + call + ": " + to_string(p) +
                        " is to have points and is not among the places that the distribution is over; add it to them");
    }
    [[nodiscard]] std::optional<place> twice() const noexcept {
      const auto found = std::adjacent_find(numbers_.begin(), numbers_.end(),
                                            [](const auto& a, const auto& b) { return a.first == b.first; });
      return found != numbers_.end() ? std::optional(found->first) : std::nullopt;
    }

  private:
    std::vector<std::pair<place, std::size_t>> numbers_;
  };

  struct state {
    std::string made_by = "dist()";
    tactus::region<N> domain;
    place_group on;
    members who;
    std::optional<detail::regular_parts<N>> regular;  // else:
    std::vector<std::vector<box<N>>> parts;           // by member
    detail::box_index<N> index;
  };

  explicit dist(std::shared_ptr<const state> s) noexcept : s_(std::move(s)) {}

  static dist dealt_out(const char* call, const tactus::region<N>& r, std::size_t axis, index_t b,
                        const place_group& on) {
    check_group(call, on);
    check_axis(call, axis);
    grid<N> parts(1);
    parts[axis] = static_cast<index_t>(on.size());
    const box<N> all = r.bounding_box();
    point<N> size;
    for (std::size_t d = 0; d < N; ++d) {
      size[d] = std::max<index_t>(all.extent(d), 1);  // an axis that is not dealt out is whole
    }
    size[axis] = check_block(call, b);
    const dist whole = regular(call, all, parts, size, on);
    return r.is_box() ? whole : whole | r;
  }

  static dist made(std::string by, const place_group& on, const detail::regular_parts<N>& how) {
    auto s = std::make_shared<state>();
    s->made_by = std::move(by);
    s->domain = how.all();
    s->on = on;
    s->who = members(on);
    s->regular = how;
    return dist(std::move(s));
  }

  static dist regular(const char* call, const box<N>& b, const grid<N>& parts, const point<N>& block,
                      const place_group& on) {
    return made(std::string(call) + "(...)", on, checked_parts(call, b, parts, block, on));
  }
  static detail::regular_parts<N> checked_parts(const char* call, const box<N>& b, const grid<N>& parts,
                                                const point<N>& block, const place_group& on) {
    check_group(call, on);
    static_cast<void>(b.size());  // can be counted
    detail::regular_parts<N> how;
    std::size_t all = 1;
    for (std::size_t d = 0; d < N; ++d) {
      if (parts[d] < 1) {
        throw usage_error(std::string("tactus::dist::") + call + ": " + std::to_string(parts[d]) +
                          " parts along axis " + std::to_string(d) + "; give at least 1");
      }
      if (static_cast<std::size_t>(parts[d]) > on.size() / all) {
        throw usage_error(std::string("tactus::dist::") + call + ": a grid of more parts than the " +
                          std::to_string(on.size()) + " places that there are; give fewer, or use block_cyclic");
      }
      all *= static_cast<std::size_t>(parts[d]);
      how.along[d] = {b.lo[d], b.extent(d), parts[d], block[d]};
    }
    return how;
  }

  // From boxes that do not overlap.
  static dist irregular(std::string by, const place_group& on, std::vector<std::vector<box<N>>> parts) {
    auto s = std::make_shared<state>();
    s->made_by = std::move(by);
    std::vector<box<N>> all;
    std::vector<typename detail::box_index<N>::item> items;
    for (std::size_t m = 0; m < parts.size(); ++m) {
      std::erase_if(parts[m], [](const box<N>& b) { return b.empty(); });
      for (const box<N>& b : parts[m]) {
        all.push_back(b);
        items.push_back({b, m});
      }
    }
    s->domain = tactus::region<N>(all);
    s->on = on;
    s->who = members(on);
    s->parts = std::move(parts);
    s->index = detail::box_index<N>(std::move(items));
    return dist(std::move(s));
  }

  // From boxes in any form.
  static dist normal(const char* call, const place_group& on, const std::vector<std::vector<box<N>>>& parts) {
    std::vector<std::vector<box<N>>> normal_parts;
    for (const std::vector<box<N>>& p : parts) {
      const tactus::region<N> r(p);
      normal_parts.emplace_back(r.boxes().begin(), r.boxes().end());
    }
    return irregular(std::string(call) + "(...)", on, std::move(normal_parts));
  }

  // What has come from elsewhere is looked at as what a program gives.
  static dist regular_again(std::string by, const place_group& on, const detail::regular_parts<N>& how) {
    box<N> b;
    grid<N> parts;
    point<N> block;
    for (std::size_t d = 0; d < N; ++d) {
      b.lo[d] = how.along[d].lo;
      b.hi[d] = how.along[d].lo + how.along[d].extent;
      parts[d] = how.along[d].parts;
      block[d] = how.along[d].block;
      if (how.along[d].extent < 0 || block[d] < 0) {
        throw usage_error("tactus: a distribution has come whose extents or blocks are negative");
      }
    }
    return made(std::move(by), on, checked_parts("serialize", b, parts, block, on));
  }
  static dist irregular_again(std::string by, const place_group& on, std::vector<std::vector<box<N>>> parts) {
    std::size_t points = 0;
    for (const std::vector<box<N>>& p : parts) {
      for (const box<N>& b : p) {
        points += b.size();
      }
    }
    dist d = irregular(std::move(by), on, std::move(parts));
    if (d.s_->parts.size() != on.size() || d.s_->domain.size() != points || members(on).twice()) {
      throw usage_error("tactus: a distribution has come whose parts overlap, or are not one for each of its places");
    }
    return d;
  }

  [[nodiscard]] std::string restricted() const {
    return s_->made_by.find(" | ") == std::string::npos ? s_->made_by + " | ..." : s_->made_by;
  }

  [[nodiscard]] std::vector<box<N>> blocks_of(std::size_t member) const {
    if (!s_->regular) {
      return s_->parts[member];
    }
    return member < s_->regular->count() ? s_->regular->blocks_of(member) : std::vector<box<N>>();
  }

  template <class CostAt>
  static void bisect(const box<N>& b, const CostAt& cost_at, const std::vector<double>& shares, std::size_t first,
                     std::size_t last, std::vector<std::vector<box<N>>>& parts) {
    if (last - first == 1 || b.empty()) {
      parts[first].push_back(b);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    const auto share_of = [&shares](std::size_t from, std::size_t to) {
      return std::accumulate(shares.begin() + static_cast<std::ptrdiff_t>(from),
                             shares.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
    };
    const double both = share_of(first, last);
    const double lower_share = both > 0 ? share_of(first, middle) / both : 0.5;
    std::size_t axis = 0;
    for (std::size_t d = 1; d < N; ++d) {
      axis = b.extent(d) > b.extent(axis) ? d : axis;
    }
    std::vector<double> layers(static_cast<std::size_t>(b.extent(axis)));
    b.each([&](const point<N>& p) { layers[static_cast<std::size_t>(p[axis] - b.lo[axis])] += cost_at(p); });
    double all = std::accumulate(layers.begin(), layers.end(), 0.0);
    if (!(all > 0)) {
      std::fill(layers.begin(), layers.end(), 1.0);
      all = static_cast<double>(layers.size());
    }
    index_t cut = b.lo[axis];
    double below = 0;
    for (const double layer : layers) {  // up to where the next layer would bring it farther from the share
      if (std::abs(below + layer - lower_share * all) > std::abs(below - lower_share * all)) {
        break;
      }
      below += layer;
      ++cut;
    }
    box<N> lower = b;
    box<N> upper = b;
    lower.hi[axis] = upper.lo[axis] = cut;
    bisect(lower, cost_at, shares, first, middle, parts);
    bisect(upper, cost_at, shares, middle, last, parts);
  }

  template <class Work>
  static dist by_curve(const char* call, detail::curve which, const tactus::region<N>& r, const point<N>& tile,
                       Work& work, const std::vector<double>& shares, const place_group& on) {
    check_group(call, on);
    const std::vector<double> of_one = detail::checked_shares(call, shares, on.size());
    const box<N> all = r.bounding_box();
    detail::regular_parts<N> tiles;
    std::vector<index_t> extents;
    for (std::size_t d = 0; d < N; ++d) {
      check_block(call, tile[d]);
      static_cast<void>(range(all.lo[d], all.hi[d]).size());  // can be counted
      extents.push_back(all.extent(d) / tile[d] + (all.extent(d) % tile[d] != 0 ? 1 : 0));
      tiles.along[d] = {all.lo[d], all.extent(d), std::max<index_t>(extents.back(), 1), tile[d]};
    }
    const std::vector<std::size_t> order = r.empty() ? std::vector<std::size_t>() : detail::along_curve(which, extents);
    std::vector<double> costs;
    std::vector<tactus::region<N>> pieces;
    for (const std::size_t number : order) {
      pieces.push_back(tactus::region<N>(tiles.blocks_of(number)) & r);
      double cost = 0;
      pieces.back().each([&](const point<N>& p) { cost += checked_work(call, work, p); });
      costs.push_back(cost);
    }
    if (std::all_of(costs.begin(), costs.end(), [](double cost) { return cost == 0; })) {
      std::transform(pieces.begin(), pieces.end(), costs.begin(),
                     [](const tactus::region<N>& piece) { return static_cast<double>(piece.size()); });
    }
    const std::vector<std::size_t> whose = detail::cut_into_runs(costs, of_one);
    std::vector<std::vector<box<N>>> parts(on.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      parts[whose[i]].insert(parts[whose[i]].end(), pieces[i].boxes().begin(), pieces[i].boxes().end());
    }
    return normal(call, on, parts);
  }

  template <class Work>
  static double checked_work(const char* call, Work& work, const point<N>& p) {
    const auto cost = static_cast<double>(work(p));
    if (!(cost >= 0) || !std::isfinite(cost)) {
      detail::throw_bad_work(call, to_string(p).c_str(), cost);
    }
    return cost;
  }

  static void check_group(const char* call, const place_group& on) {
    if (on.empty()) {
      throw usage_error(std::string("tactus::dist::") + call + ": there is no place to be over; give at least one");
    }
    if (const std::optional<place> twice = members(on).twice()) {
      throw usage_error(std::string("tactus::dist::") + call + ": " + to_string(*twice) +
                        " is there twice; give each place once");
    }
  }
  static void check_axis(const char* call, std::size_t axis) {
    if (axis >= N) {
      throw_no_axis(call, axis);
    }
  }
  // By itself, so that compilers see that nobody goes on with such an axis.
  [[noreturn]] static void throw_no_axis(const char* call, std::size_t axis) {
    throw usage_error(std::string("tactus::dist::") + call + ": there is no axis " + std::to_string(axis) +
                      "; axes are 0 to " + std::to_string(N - 1));
  }
  static index_t check_block(const char* call, index_t b) {
    if (b < 1) {
      throw usage_error(std::string("tactus::dist::") + call + ": blocks of " + std::to_string(b) +
                        " indices; give at least 1");
    }
    return b;
  }
  static box<N> box_of(const char* call, const tactus::region<N>& r) {
    if (!r.is_box()) {
      throw usage_error(std::string("tactus::dist::") + call + ": the region in " + to_string(r.bounding_box()) +
                        " is not a box; divide its bounding box, and restrict that to it by |");
    }
    return r.bounding_box();
  }
  void check_has(const point<N>& p) const {
    const bool has = s_->regular ? s_->regular->all().contains(p) : s_->index.find(p) != nullptr;
    if (!has) {
      throw usage_error("tactus: " + to_string(p) + " is not in the region of the distribution, which lies in " +
                        to_string(s_->domain.bounding_box()));
    }
  }
  [[noreturn]] static void throw_overlap(const std::vector<std::pair<tactus::region<N>, place>>& parts) {
    tactus::region<N> before;
    for (const auto& [r, p] : parts) {
      if (const tactus::region<N> both = before & r; !both.empty()) {
        throw usage_error("tactus::dist::from: " + to_string(both.boxes().front().lo) + " is in the part of " +
                          to_string(p) + " and in one before; parts may not overlap");
      }
      before = before | r;
    }
    throw usage_error("tactus::dist::from: parts overlap");
  }

  std::shared_ptr<const state> s_;
};

}  // namespace tactus
