// SPDX-License-Identifier: Apache-2.0
// Distributed arrays as a whole: cells from anywhere, loops, reductions, scans, other distributions.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

const ts::box<2> k_box = ts::range(-3, 11) * ts::range(2, 15);

int value_of(const ts::point<2>& p) { return static_cast<int>(p[0] * 37 + p[1] * 11) % 29; }

std::vector<ts::dist<2>> dists() {
  const auto one = [](const ts::point<2>&) { return 1.0; };
  return {ts::dist<2>::block(k_box),
          ts::dist<2>::block(k_box, ts::all_axes),
          ts::dist<2>::cyclic(k_box, 1),
          ts::dist<2>::block_cyclic(k_box, {2, 3}, ts::grid<2>{2, 1}),
          ts::dist<2>::constant(k_box, ts::place(1)),
          ts::dist<2>::morton(k_box, {3, 2}, one),
          ts::dist<2>::from(k_box,
                            [](const ts::point<2>& p) { return ts::place(static_cast<int>((p[0] + 3) * p[1] % 3)); })};
}

void over_all(const std::function<void(const ts::dist<2>&)>& body) {
  for (const auto copies : {ts::copying::automatic, ts::copying::serialize}) {
    ts::run(ts::config{.threads = 2, .places = 3, .local_copy = copies}, [&] {
      for (const ts::dist<2>& d : dists()) {
        body(d);
      }
    });
  }
}

ts::dist_array<int, 2> filled(const ts::dist<2>& d, int ghost = 0) {
  ts::dist_array<int, 2> a(d, {.ghost = ghost, .name = "a"});
  a.for_each([](ts::point<2> p, int& x) { x = value_of(p); });
  return a;
}

TEST(dist_array_test, cells_are_reached_from_anywhere) {
  over_all([](const ts::dist<2>& d) {
    auto a = filled(d);
    const auto h = a.ref();
    ts::at_each(ts::places(), [h] {
      EXPECT_EQ(h.get({5, 7}), value_of({5, 7}));
      auto later = h.get_future({-3, 14});
      EXPECT_EQ(later.get(), value_of({-3, 14}));
    });
    a.set({0, 3}, 1000);
    EXPECT_EQ(a.get({0, 3}), 1000);
    ts::at(ts::place(2), [h] { h.set({0, 3}, value_of({0, 3})); });
    const ts::box<2> some = ts::range(-2, 9) * ts::range(3, 15);  // of several owners
    const ts::array<int, 2> piece = a.get(some);
    some.each([&](const ts::point<2>& p) { EXPECT_EQ(piece[p], value_of(p)); });
    a.set(ts::array<int, 2>(some, 5));
    EXPECT_EQ(a.get({-3, 2}), value_of({-3, 2}));
    EXPECT_EQ(a.get({8, 14}), 5);
    a.accumulate(ts::array<int, 2>(some, 7), ts::op::sum);
    ts::finish([&] {
      for (int i = 0; i < 4; ++i) {
        ts::async([&] { a.accumulate(ts::array<int, 2>(some, 1), ts::op::sum); });
      }
    });
    EXPECT_EQ(a.get({8, 14}), 16);
    EXPECT_TRUE(a.get(ts::box<2>()).region().empty());
  });
}

// Bytes from the begin of a page to the first cell here.
template <class T>
std::uintptr_t place_in_page(const ts::dist_array<T, 1>& a) {
  return reinterpret_cast<std::uintptr_t>(&a.ref().local()(0)) % 4096;
}

TEST(dist_array_test, arrays_of_pages_made_one_after_the_other_do_not_begin_alike) {
  ts::run(ts::config{.threads = 1, .places = 1}, [] {
    const auto d = ts::dist<1>::block(ts::range(0, 100'000));
    const ts::dist_array<double, 1> a(d), b(d), c(d), e(d);
    std::vector<std::uintptr_t> begins{place_in_page(a), place_in_page(b), place_in_page(c), place_in_page(e)};
    std::sort(begins.begin(), begins.end());
    for (std::size_t i = 0; i < begins.size(); ++i) {
      EXPECT_EQ(begins[i] % 64, 0U);
      const std::uintptr_t next = i + 1 < begins.size() ? begins[i + 1] : begins.front() + 4096;
      EXPECT_GE(next - begins[i], 512U);
    }
  });
}

TEST(dist_array_test, boxes_are_reached_from_any_place) {
  over_all([](const ts::dist<2>& d) {
    auto a = filled(d);
    const ts::box<2> some = ts::range(-2, 9) * ts::range(3, 15);  // of several owners
    ts::at_each(ts::places(), [h = a.ref(), some] {
      const ts::dist_array_ref<const int, 2> reads = h;
      const ts::array<int, 2> piece = reads.get(some);
      EXPECT_EQ(piece.region(), some);
      some.each([&](const ts::point<2>& p) { EXPECT_EQ(piece[p], value_of(p)); });
      EXPECT_THROW(static_cast<void>(h.get(ts::range(10, 12) * ts::range(2, 3))), ts::usage_error);
      ts::atomic([&] { EXPECT_THROW(static_cast<void>(h.get(some)), ts::atomic_use_error); });
    });
    a.fill(0);
    ts::at_each(ts::places(), [h = a.ref(), some] {  // all of them at once
      for (int i = 0; i < 5; ++i) {
        h.accumulate(ts::array<int, 2>(some, 1), ts::op::sum);
        h.accumulate(ts::array<int, 2>(some, 10), ts::monoid(0, [](int x, int y) { return x + y; }));
      }
    });
    EXPECT_EQ(a.reduce(ts::op::sum), static_cast<int>(some.size()) * 11 * 5 * 3);
    ts::at(ts::place(2), [h = a.ref()] { h.set(ts::array<int, 2>(ts::range(-3, 11) * ts::range(2, 3), 7)); });
    EXPECT_EQ(a.get({10, 2}), 7);
    EXPECT_EQ(a.get({10, 3}), 0);
  });
}

TEST(dist_array_test, reductions) {
  over_all([](const ts::dist<2>& d) {
    const auto a = filled(d);
    int sum = 0;
    int least = 100;
    ts::point<2> where;
    k_box.each([&](const ts::point<2>& p) {
      sum += value_of(p);
      if (value_of(p) < least) {
        least = value_of(p);
        where = p;
      }
    });
    EXPECT_EQ(a.reduce(ts::op::sum), sum);
    EXPECT_EQ(a.reduce([](int x, int y) { return x + y; }, 0), sum);
    EXPECT_EQ(a.reduce(ts::monoid(0, [](int x, int y) { return x > y ? x : y; })), a.max_at().second);
    EXPECT_EQ(a.min_at(), std::pair(where, least));
    const auto h = a.ref();
    const int of_parts = ts::at(ts::place(1), [h] { return h.reduce_local(ts::op::sum); });
    int part = 0;
    d.part(ts::place(1)).each([&](const ts::point<2>& p) { part += value_of(p); });
    EXPECT_EQ(d.group().size() == 1 ? sum : part, of_parts);
  });
}

TEST(dist_array_test, reductions_pass_over_nans_whatever_the_number_of_places) {
  using found = std::pair<double, ts::index_t>;
  constexpr ts::index_t n = 10;
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  for (int places = 1; places <= 8; ++places) {
    ts::run(ts::config{.threads = 1, .places = places}, [&] {
      for (const ts::dist<1>& d : {ts::dist<1>::block(ts::range(0, n)), ts::dist<1>::cyclic(ts::range(0, n))}) {
        ts::dist_array<double, 1> a(d, {.name = "a"});
        for (ts::index_t where = 0; where < n; ++where) {
          a.for_each([](ts::point<1> p, double& x) { x = static_cast<double>(p[0] + 1); });
          a.set(ts::point<1>(where), nan);
          const ts::index_t least = where == 0 ? 1 : 0;
          const ts::index_t largest = where == n - 1 ? n - 2 : n - 1;
          const auto value = [&](ts::index_t i) { return i == where ? nan : static_cast<double>(i + 1); };
          const auto pair = [&](ts::index_t i) { return found(value(i), i); };
          EXPECT_EQ(a.reduce(ts::op::min), value(least)) << where << " of " << places;
          EXPECT_EQ(a.reduce(ts::op::max), value(largest)) << where << " of " << places;
          EXPECT_EQ(a.min_at(), std::pair(ts::point<1>(least), value(least))) << where << " of " << places;
          for (const ts::index_t grain : {1, 3, 10}) {
            EXPECT_EQ(ts::reduce(ts::index_t{0}, n, grain, ts::op::min, value), value(least)) << where;
            EXPECT_EQ(ts::reduce(ts::range(0, n), grain, ts::op::max, value), value(largest)) << where;
            EXPECT_EQ(ts::reduce(ts::index_t{0}, n, grain, ts::op::minloc, pair), pair(least)) << where;
            EXPECT_EQ(ts::reduce(ts::index_t{0}, n, grain, ts::op::maxloc, pair), pair(largest)) << where;
          }
        }
        a.fill(nan);
        EXPECT_EQ(a.reduce(ts::op::min), infinity);  // it begins with the result of none
      }
    });
  }
}

TEST(dist_array_test, maps) {
  over_all([](const ts::dist<2>& d) {
    const auto a = filled(d);
    const auto twice = a.map([](int x) { return 2.0 * x; });
    const auto rows = a.map([](ts::point<2> p, int x) { return std::pair(p[0], x); });
    ts::dist_array<long, 2> b(d, {.name = "b"});
    b.map_from([](int x, double y) { return static_cast<long>(x + y); }, a, twice);
    for (const auto& [p, v] : b.sequence()) {
      EXPECT_EQ(v, 3 * value_of(p));
    }
    EXPECT_EQ(rows.get({4, 4}).first, 4);
    ts::dist_array<int, 2> other(ts::dist<2>::block(k_box, ts::axes(0, 1)), {.name = "other"});
    if (!(other.dist() == d)) {
      EXPECT_THROW(b.map_from([](int x) { return x; }, other), ts::usage_error);
    }
  });
}

TEST(dist_array_test, scans) {
  over_all([](const ts::dist<2>& d) {
    const auto a = filled(d);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const auto with = a.scan(ts::op::sum, axis);
      const auto before = a.scan_exclusive(ts::op::sum, axis);
      const auto all = with.get(k_box);
      const auto others = before.get(k_box);
      ts::box<2> first = k_box;
      first.hi[axis] = first.lo[axis] + 1;
      first.each([&](ts::point<2> p) {
        int sum = 0;
        for (; p[axis] < k_box.hi[axis]; ++p[axis]) {
          EXPECT_EQ(others[p], sum);
          sum += value_of(p);
          EXPECT_EQ(all[p], sum);
        }
      });
    }
    EXPECT_THROW(static_cast<void>(a.scan(ts::op::sum, 2)), ts::usage_error);
  });
}

TEST(dist_array_test, goes_to_other_distributions) {
  over_all([](const ts::dist<2>& d) {
    const auto a = filled(d);
    const auto expected = a.get(k_box);
    for (const ts::dist<2>& e : {ts::dist<2>::block(k_box, ts::axes(1)), ts::dist<2>::cyclic(k_box, 0)}) {
      const auto b = redistributed(a, e);
      EXPECT_TRUE(b.get(k_box) == expected);
      ts::dist_array<int, 2> c(e, {.name = "c"});
      ts::transfer<int, 2> t(a, c);
      ts::at_each(ts::places(), [m = t.ref()] {
        for (int i = 0; i < 3; ++i) {
          m.send();
          EXPECT_THROW(m.send(), ts::usage_error);
          m.wait();
          EXPECT_THROW(m.wait(), ts::usage_error);
        }
      });
      EXPECT_TRUE(c.get(k_box) == expected);
      c.fill(0);
      ts::copy(a, ts::range(0, 3) * ts::range(2, 30), c, {7, 0});
      EXPECT_EQ(c.get({8, 4}), value_of({1, 4}));
      EXPECT_EQ(c.get({6, 4}), 0);
    }
    ts::dist_array<int, 2> m = filled(d, 1);
    const auto old = m.ref();
    m.move_to(ts::dist<2>::block(k_box, ts::axes(1)));
    EXPECT_TRUE(m.get(k_box) == expected);
    EXPECT_THROW(static_cast<void>(old.blocks()), ts::usage_error);
    EXPECT_THROW(m.move_to(ts::dist<2>::block(ts::range(0, 2) * ts::range(0, 2))), ts::usage_error);
  });
}

TEST(dist_array_test, sorts) {
  ts::run(ts::config{.threads = 1, .places = 3}, [] {
    ts::dist_array<std::string, 1> a(ts::dist<1>::cyclic(ts::range(5, 40)), {.name = "a"});
    a.for_each([](ts::point<1> p, std::string& s) { s = std::to_string(p[0] * 7919 % 101); });
    a.sort();
    std::string last;
    for (const auto& [p, s] : a.sequence()) {
      static_cast<void>(p);
      EXPECT_LE(last, s);
      last = s;
    }
  });
}

TEST(dist_array_test, is_made_everywhere_or_nowhere) {
  ts::run(ts::config{.threads = 1, .places = 3}, [] {
    const auto vast = ts::range(0, 1 << 20) * ts::range(0, 1 << 24);
    if (!support::k_sanitized) {  // which end a program that asks for so much
      EXPECT_THROW((ts::dist_array<double, 2>(ts::dist<2>::block(vast), {.name = "vast"})), ts::resource_error);
    }
    EXPECT_THROW((ts::dist_array<double, 2>(ts::dist<2>::block(k_box), {.ghost = -1, .name = "less"})),
                 ts::usage_error);
    EXPECT_THROW((ts::dist_array<double, 2>(dists()[5], {.ghost = 1, .exchange = ts::ghost_exchange::shift})),
                 ts::usage_error);
    ts::dist_array<int, 2> a = filled(dists()[0]);
    ts::dist_array<int, 2> b = std::move(a);
    EXPECT_EQ(b.get({0, 2}), value_of({0, 2}));
    EXPECT_THROW(a.fill(1), ts::usage_error);  // NOLINT(bugprone-use-after-move): that it is told
  });
}

TEST(dist_array_test, ends_with_its_run) {
  std::optional<ts::dist_array<int, 1>> late;
  const auto in_a_run = [](const std::function<void()>& body) { ts::run(ts::config{.threads = 1, .places = 2}, body); };
  in_a_run([&late] { late.emplace(ts::dist<1>::block(ts::range(0, 9)), ts::array_options<1>{.name = "late"}); });
  in_a_run([&late] {
    EXPECT_THROW(late->fill(1), ts::usage_error);
    EXPECT_THROW(static_cast<void>(late->reduce(ts::op::sum)), ts::usage_error);
    EXPECT_THROW(static_cast<void>(late->ref().get(ts::point<1>(8))), ts::usage_error);
  });
}

TEST(dist_array_test, one_box_around_many_blocks) {
  over_all([](const ts::dist<2>& d) {
    ts::dist_array<int, 2> a(d,
                             {.ghost = 1, .periodic = true, .storage = ts::block_storage::bounding_box, .name = "a"});
    a.for_each([](ts::point<2> p, int& x) { x = value_of(p); });
    a.update_ghosts();
    ts::at_each(d.group(), [h = a.ref()] {
      if (h.here_is_empty()) {
        return;
      }
      const auto u = h.local();
      const auto inside = [](ts::point<2> p) {
        for (std::size_t k = 0; k < 2; ++k) {
          const auto n = k_box.extent(k);
          p[k] = k_box.lo[k] + ((p[k] - k_box.lo[k]) % n + n) % n;
        }
        return p;
      };
      (h.resident() | h.ghosts()).each([&](const ts::point<2>& p) { EXPECT_EQ(u[p], value_of(inside(p))); });
    });
  });
}

}  // namespace
