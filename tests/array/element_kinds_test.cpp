// SPDX-License-Identifier: Apache-2.0
// Arrays of elements that cannot be copied, or do not travel: all that needs neither goes, and what does is refused (element_refusals.cpp).
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include "support/caught.hpp"

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

using owned = std::unique_ptr<int>;
const ts::box<2> k_box = ts::range(0, 6) * ts::range(0, 4);

void at_places(int n, const std::function<void()>& body) { ts::run(ts::config{.threads = 1, .places = n}, body); }

// Of what the cells own, at all places.
int sum_of(ts::dist_array<owned, 2>& a) {
  const auto held = a.map([](const owned& x) { return x ? *x : 0; });
  return held.reduce(ts::op::sum);
}

TEST(element_kinds_test, elements_that_only_move_are_made_and_used_where_they_are) {
  at_places(3, [] {
    ts::dist_array<owned, 2> a(ts::dist<2>::block(k_box), {.name = "u"});
    EXPECT_EQ(sum_of(a), 0);
    a.for_each([](const ts::point<2>& p, owned& x) { x = std::make_unique<int>(static_cast<int>(p[0])); });
    EXPECT_EQ(sum_of(a), 4 * (0 + 1 + 2 + 3 + 4 + 5));
    const auto h = a.ref();
    EXPECT_EQ(*h(1, 2), 1);
    EXPECT_EQ(h.blocks().size(), 1U);
    h(1, 2) = std::make_unique<int>(11);
    EXPECT_EQ(*h.local()(1, 2), 11);
    EXPECT_EQ(sum_of(a), 70);
  });
}

TEST(element_kinds_test, a_map_makes_elements_that_only_move) {
  at_places(2, [] {
    const ts::dist_array<int, 1> numbers(ts::dist<1>::block(ts::range(0, 5)));
    const auto made = numbers.map([](ts::point<1> p, int) { return std::make_unique<int>(static_cast<int>(p[0])); });
    EXPECT_EQ(made.map([](const owned& x) { return *x; }).reduce(ts::op::sum), 10);
  });
}

TEST(element_kinds_test, an_array_of_them_is_moved_and_assigned) {
  at_places(2, [] {
    ts::dist_array<owned, 2> a(ts::dist<2>::block(k_box));
    a.for_each([](owned& x) { x = std::make_unique<int>(1); });
    ts::dist_array<owned, 2> b = std::move(a);
    EXPECT_EQ(sum_of(b), 24);
    b = ts::dist_array<owned, 2>(b.dist());
    EXPECT_EQ(sum_of(b), 0);
  });
}

struct counted {
  counted() { ++alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
  static inline ts::detail::atomic<int> alive{0};
};

TEST(element_kinds_test, elements_that_stay_where_they_are_all_end) {
  at_places(3, [] {
    const ts::dist_array<counted, 1> a(ts::dist<1>::block(ts::range(0, 10)));
    EXPECT_EQ(counted::alive.load(), 10);
  });
  EXPECT_EQ(counted::alive.load(), 0);
}

template <class T>
std::string refused_ghosts() {
  try {
    ts::dist_array<T, 1> a(ts::dist<1>::block(ts::range(0, 4)), {.ghost = 1, .name = "u"});
  } catch (const ts::usage_error& e) {
    return e.what();
  }
  return "they were made";
}

// Trivially copyable, as the standard has it, and cannot be copied.
TEST(element_kinds_test, atomic_elements_count_what_falls_into_them) {
  using counter = std::atomic<int>;
  static_assert(std::is_trivially_copyable_v<counter>);
  at_places(3, [] {
    ts::dist_array<counter, 1> bins(ts::dist<1>::block(ts::range(0, 4)), {.name = "bins"});
    ts::finish([h = bins.ref()] {
      for (ts::index_t i = 0; i < 40; ++i) ts::async_at(h.dist().owner(ts::point<1>(i % 4)), [h, i] { ++h(i % 4); });
    });
    bins.for_each([](const ts::point<1>& p, const counter& n) { EXPECT_EQ(n.load(), 10) << p[0]; });
    EXPECT_EQ(bins.map([](const counter& n) { return n.load(); }).reduce(ts::op::sum), 40);
    bins.update_ghosts();  // of which there are none
    ts::dist_array<counter, 1> moved = std::move(bins);
    EXPECT_EQ(moved.ref().exchange(), 1U);
    const std::string why = refused_ghosts<counter>();
    EXPECT_TRUE(support::contains(why, "atomic<int>, cannot be copied: make that type copyable, or leave ghost at 0"))
        << why;
  });
}

TEST(element_kinds_test, without_ghosts_their_exchange_does_nothing) {
  at_places(2, [] {
    ts::dist_array<owned, 2> a(ts::dist<2>::block(k_box));
    ts::dist_array<int, 2> b(a.dist(), {.ghost = 1});
    a.update_ghosts();
    EXPECT_EQ(a.ref().exchange(), 1U);
    ts::ghost_group both(a, b);
    both.update_ghosts();
    EXPECT_EQ(both.ref().exchange(), 1U);
  });
}

TEST(element_kinds_test, they_have_no_ghosts_and_the_error_says_what_they_lack) {
  at_places(2, [] {
    const std::string moved = refused_ghosts<owned>();
    EXPECT_TRUE(support::contains(moved, "'u' is to have ghosts, which are copies, and its elements, of std::"))
        << moved;
    EXPECT_TRUE(support::contains(moved, "unique_ptr<int")) << moved;
    EXPECT_TRUE(support::contains(moved, ", cannot be copied: make that type copyable, or leave ghost at 0")) << moved;
    const std::string shared = refused_ghosts<std::shared_ptr<int>>();
    EXPECT_TRUE(support::contains(shared, "do not travel: give that type a serialize, or leave ghost at 0")) << shared;
  });
}

TEST(element_kinds_test, a_nan_is_passed_over_wherever_it_lies) {
  at_places(3, [] {
    const ts::box<1> line = ts::range(0, 6);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& d : {ts::dist<1>::block(line), ts::dist<1>::cyclic(line), ts::dist<1>::constant(line)}) {
      for (ts::index_t i = 0; i < 6; ++i) {
        ts::dist_array<double, 1> a(d);
        a.for_each([](ts::point<1> p, double& x) { x = p[0] % 2 == 0 ? 1 : 2; });
        a.set(ts::point<1>(i), nan);
        EXPECT_EQ(a.min_at(), std::pair(ts::point<1>(i == 0 ? 2 : 0), 1.0)) << i;
        EXPECT_EQ(a.max_at(), std::pair(ts::point<1>(i == 1 ? 3 : 1), 2.0)) << i;
        a.fill(nan);
        EXPECT_EQ(a.min_at().first, ts::point<1>(0));
      }
    }
  });
}

TEST(element_kinds_test, elements_that_do_not_travel_are_copied_where_they_are) {
  at_places(2, [] {
    ts::dist_array<std::shared_ptr<int>, 1> a(ts::dist<1>::block(ts::range(0, 4)));
    a.for_each([](ts::point<1> p, std::shared_ptr<int>& x) { x = std::make_shared<int>(static_cast<int>(p[0])); });
    const auto larger = [](const std::shared_ptr<int>& x, const std::shared_ptr<int>& y) {
      return !x || (y && *x < *y) ? y : x;
    };
    EXPECT_EQ(*a.ref().reduce_local(ts::monoid<std::shared_ptr<int>, decltype(larger)>{nullptr, larger}), 1);
  });
}

// Trivially copyable, so that cells go as they are from box to box; as values they do not travel.
struct pointing {
  double x = 0;
  const double* at = nullptr;
};
static_assert(!ts::travels<pointing>);
const double k_pointed_at = 0.5;

TEST(element_kinds_test, ghosts_and_transfers_of_elements_that_point_go_as_their_bytes) {
  at_places(2, [] {
    ts::dist_array<pointing, 1> a(ts::dist<1>::block(ts::range(0, 8)), {.ghost = 1, .name = "a"});
    a.for_each([](const ts::point<1>& p, pointing& x) { x = {static_cast<double>(p[0]), &k_pointed_at}; });
    a.update_ghosts();
    ts::at_each(ts::places(), [h = a.ref()] {
      const ts::index_t ghost = ts::here().id() == 0 ? 4 : 3;
      EXPECT_EQ(h(ghost).x, static_cast<double>(ghost));
      h(ghost).x = 10;
      h.accumulate_ghosts(
          ts::monoid{pointing(), [](const pointing& x, const pointing& y) { return pointing{x.x + y.x, x.at}; }});
    });
    const auto sum = [](const ts::dist_array<pointing, 1>& of) {
      return of.map([](const pointing& x) { return x.x + *x.at; }).reduce(ts::op::sum);
    };
    EXPECT_EQ(sum(a), 28 + 4 + 20);
    ts::dist_array<pointing, 1> b(ts::dist<1>::cyclic(ts::region<1>(ts::range(0, 8))), {.name = "b"});
    const ts::transfer<pointing, 1> t(a, b);
    ts::at_each(ts::places(), [m = t.ref()] { m(); });
    EXPECT_EQ(sum(b), 52);
  });
}

}  // namespace
