// SPDX-License-Identifier: Apache-2.0
// Plans of exchanges: each ghost that is the image of a cell is written once, with that cell, whatever distributions, widths and edges
// are; and both sides of a message think the same of it.
#include <tactus/array/impl/ghost_plan.hpp>
#include <tactus/array/impl/ghost_shape.hpp>
#include <tactus/array/impl/plan_cache.hpp>
#include <tactus/tactus.hpp>

#include "array/random_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;
using ts::detail::neighbour_patches;
using ts::detail::patch;

// A cell of a place: of which of its blocks, where each has memory of its own.
template <std::size_t N>
using cell = std::pair<std::size_t, ts::point<N>>;

template <std::size_t N>
using sources = std::map<cell<N>, ts::point<N>>;

template <std::size_t N>
class planned_case {
public:
  planned_case(const ts::dist<N>& d, const ts::array_options<N>& o)
      : d_(d), o_(o), index_(std::make_shared<ts::detail::all_blocks<N>>(d)) {
    for (const ts::place p : d.group()) {
      plans_.emplace(p.id(), ts::detail::ghost_plans<N>(d, o, p.id(), index_));
      wanted_.emplace(p.id(), wanted_at(p));
    }
  }

  void expect_right() const {
    for (const auto& [p, plans] : plans_) {
      expect_put_right(p, plans.forward());
      for (const auto& n : plans.forward()) {
        EXPECT_FALSE(n.in.empty() && n.out.empty()) << "nothing goes between " << p << " and " << n.place;
        expect_both_sides_alike(p, n, plans_.at(n.place).forward());
      }
    }
    if (plans_.begin()->second.shift()) {
      expect_shift_right();
    }
  }

  [[nodiscard]] std::size_t ghosts() const {
    std::size_t all = 0;
    for (const auto& [p, of_place] : wanted_) {
      all += of_place.size();
    }
    return all;
  }
  [[nodiscard]] const ts::detail::ghost_plans<N>& plans(int p) const { return plans_.at(p); }

private:
  [[nodiscard]] bool is_shared() const { return o_.storage == ts::block_storage::bounding_box; }

  // Point by point, from what ghosts mean.
  [[nodiscard]] sources<N> wanted_at(ts::place p) const {
    const ts::box<N> domain = d_.region().bounding_box();
    const ts::detail::ghost_shape<N> shape(d_, o_);
    const auto blocks = d_.blocks(p);
    sources<N> wanted;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (const ts::point<N> x : shape.stored(blocks[i])) {
        const bool is_own = is_shared() ? d_.region().contains(x) && d_.owner(x) == p : blocks[i].contains(x);
        ts::point<N> image = x;
        int axes = 0;
        for (std::size_t k = 0; k < N; ++k) {
          axes += x[k] < blocks[i].lo[k] || x[k] >= blocks[i].hi[k] ? 1 : 0;
          if (o_.periodic[k]) {
            const ts::index_t n = domain.extent(k);
            image[k] = domain.lo[k] + ((x[k] - domain.lo[k]) % n + n) % n;
          }
        }
        if (!is_own && (o_.corners || axes <= 1) && d_.region().contains(image)) {
          wanted.emplace(cell<N>(is_shared() ? 0 : i, x), image);
        }
      }
    }
    return wanted;
  }

  void expect_put_right(int p, const std::vector<neighbour_patches<N>>& plan) const {
    sources<N> written;
    for (const auto& n : plan) {
      for (const patch<N>& in : n.in) {
        for (const ts::point<N> x : in.cells) {
          const ts::point<N> from = x - in.shift;
          ASSERT_TRUE(written.emplace(cell<N>(is_shared() ? 0 : in.here, x), from).second)
              << to_string(x) << " is written twice";
          ASSERT_TRUE(d_.region().contains(from) && d_.owner(from).id() == n.place) << to_string(x);
        }
      }
    }
    EXPECT_EQ(written, wanted_.at(p)) << "at place " << p;
  }

  // What p gets of n is what n sends to p, in one order.
  void expect_both_sides_alike(int p, const neighbour_patches<N>& n,
                               const std::vector<neighbour_patches<N>>& plan_there) const {
    const auto me = std::find_if(plan_there.begin(), plan_there.end(), [p](const auto& m) { return m.place == p; });
    ASSERT_TRUE(me != plan_there.end()) << n.place << " hears of " << p << ", which does not of it";
    ASSERT_EQ(n.in.size(), me->out.size());
    for (std::size_t i = 0; i < n.in.size(); ++i) {
      const patch<N>& in = n.in[i];
      const patch<N>& out = me->out[i];
      EXPECT_TRUE(in.cells == out.cells + out.shift && in.shift == out.shift && in.here == out.there &&
                  in.there == out.here)
          << "patch " << i << " from " << n.place << " to " << p;
    }
  }

  // Stage by stage: what is sent in one is there already, and comes once.
  void expect_shift_right() const {
    std::map<int, sources<N>> have;
    for (const auto& [p, plans] : plans_) {
      for (const ts::box<N>& b : d_.blocks(ts::place(p))) {
        for (const ts::point<N> x : b) {
          have[p].emplace(cell<N>(0, x), x);
        }
      }
    }
    for (std::size_t k = 0; k < plans_.begin()->second.shift()->stages.size(); ++k) {
      std::map<int, sources<N>> come;
      for (const auto& [p, plans] : plans_) {
        for (const neighbour_patches<N>& n : stage(p, k)) {
          expect_both_sides_alike(p, n, stage(n.place, k));
          for (const patch<N>& in : n.in) {
            for (const ts::point<N> x : in.cells) {
              const auto sent = have[n.place].find(cell<N>(0, x - in.shift));
              ASSERT_TRUE(sent != have[n.place].end()) << to_string(x - in.shift) << " is not yet at " << n.place;
              ASSERT_TRUE(come[p].emplace(cell<N>(0, x), sent->second).second && !have[p].contains(cell<N>(0, x)))
                  << to_string(x) << " comes twice";
            }
          }
        }
      }
      for (auto& [p, of_place] : come) {
        have[p].merge(of_place);
      }
    }
    for (auto& [p, of_place] : have) {
      std::erase_if(of_place, [&, at = p](const auto& c) {
        return d_.region().contains(c.first.second) && d_.owner(c.first.second).id() == at;
      });
      EXPECT_EQ(of_place, wanted_.at(p)) << "by shift, at place " << p;
    }
  }

  [[nodiscard]] std::vector<neighbour_patches<N>> stage(int p, std::size_t k) const {
    const auto& plan = *plans_.at(p).shift();
    std::size_t first = 0;
    for (std::size_t i = 0; i < k; ++i) {
      first += plan.stages[i];
    }
    const auto begin = plan.entries.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(plan.stages[k])};
  }

  ts::dist<N> d_;
  ts::array_options<N> o_;
  std::shared_ptr<const ts::detail::all_blocks<N>> index_;
  std::map<int, ts::detail::ghost_plans<N>> plans_;
  std::map<int, sources<N>> wanted_;
};

template <std::size_t N>
std::size_t expect_random_cases_right(int places, unsigned first_seed, int cases) {
  std::size_t shifts = 0;
  ts::run(ts::config{.threads = 1, .places = places}, [&] {
    for (unsigned seed = first_seed; seed < first_seed + static_cast<unsigned>(cases); ++seed) {
      std::mt19937 random(seed);
      auto c = random_arrays::make_case<N>(random);
      if (c.o.exchange != ts::ghost_exchange::shift && random() % 3 == 0) {  // with holes
        const auto some =
            ts::region<N>::where(c.d.region().bounding_box(), [&](const ts::point<N>&) { return random() % 4 != 0; });
        c.d = c.d | some;
      }
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + c.text);
      const planned_case<N> planned(c.d, c.o);
      planned.expect_right();
      shifts += planned.plans((*c.d.group().begin()).id()).shift() ? 1U : 0U;
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  });
  return shifts;
}

class plans : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(places, plans, testing::Values(1, 2, 3, 8));

TEST_P(plans, of_random_arrays_write_each_ghost_once) {
  static_cast<void>(expect_random_cases_right<1>(GetParam(), 1000, 100));
  EXPECT_GT(expect_random_cases_right<2>(GetParam(), 2000, 80), 0U);
  EXPECT_GT(expect_random_cases_right<3>(GetParam(), 3000, 20), 0U);
}

// Inside of a grid there are 3^3 - 1 neighbours by put, and by shift two for each axis.
TEST(plan_test, a_part_inside_of_a_grid_has_all_neighbours_and_no_others) {
  ts::run(ts::config{.threads = 1, .places = 27}, [] {
    const auto d = ts::dist<3>::block(ts::range(0, 6) * ts::range(0, 6) * ts::range(0, 6), ts::grid<3>{3, 3, 3});
    const int middle = d.owner({3, 3, 3}).id();
    const planned_case<3> corners(d, {.ghost = 2, .exchange = ts::ghost_exchange::shift});
    corners.expect_right();
    EXPECT_EQ(corners.ghosts(), 8U * (64 - 8) + 12 * (96 - 8) + 6 * (144 - 8) + (216 - 8));
    EXPECT_EQ(corners.plans(middle).forward().size(), 26U);
    EXPECT_EQ(corners.plans(middle).shift()->entries.size(), 6U);
    EXPECT_EQ(corners.plans(d.owner({0, 0, 0}).id()).forward().size(), 7U);
    const planned_case<3> faces(d, {.ghost = 1, .corners = false});
    faces.expect_right();
    EXPECT_EQ(faces.plans(middle).forward().size(), 6U);
  });
}

// Who only sends hears of it all the same, by a message without cells.
TEST(plan_test, where_cells_go_one_way_the_other_gets_a_token) {
  ts::run(ts::config{.threads = 1, .places = 3}, [] {
    const planned_case<1> one_way(ts::dist<1>::block(ts::range(0, 9)), {.ghost = ts::width(1, 0)});
    one_way.expect_right();
    const auto& first = one_way.plans(0).forward();
    ASSERT_EQ(first.size(), 1U);
    EXPECT_TRUE(first.front().in.empty());
    EXPECT_EQ(first.front().out.size(), 1U);
    EXPECT_EQ(one_way.plans(1).forward().size(), 2U);
  });
}

}  // namespace
