// SPDX-License-Identifier: Apache-2.0
// dist: which place has which points.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;
using plane = ts::dist<2>;

const ts::box<2> k_box = ts::range(-3, 20) * ts::range(5, 36);

ts::region<2> triangle() {
  return ts::region<2>::where(k_box, [](auto i, auto j) { return 2 * i < j; });
}

double uneven(const ts::point<2>& p) { return p[0] > 8 ? 5 : 1; }

// Each point is in one block of one place, which says so; and it travels.
template <std::size_t N>
void expect_whole(const ts::dist<N>& d, const ts::region<N>& r) {
  EXPECT_TRUE(d.region() == r);
  std::size_t all = 0;
  std::size_t most = 0;
  for (const ts::place p : d.group()) {
    std::size_t points = 0;
    for (const ts::box<N>& b : d.blocks(p)) {
      EXPECT_FALSE(b.empty());
      for (const ts::point<N> x : b) {
        ASSERT_EQ(d.owner(x), p) << to_string(x);
        ASSERT_EQ(d[x], p);
        ASSERT_TRUE(d.block_of(x) == b) << to_string(x);
        ASSERT_TRUE(r.contains(x)) << to_string(x);
        ++points;
      }
    }
    EXPECT_EQ(d.part(p).size(), points);
    all += points;
    most = std::max(most, points);
  }
  EXPECT_EQ(all, r.size());
  if (all != 0) {
    EXPECT_NEAR(d.imbalance(), static_cast<double>(most * d.group().size()) / static_cast<double>(all), 1e-12);
  }
  const ts::place last = *(ts::places().end() - 1);
  const ts::dist<N> back = ts::at(last, [](const ts::dist<N>& x) { return x; }, d);
  EXPECT_TRUE(back == d);
  EXPECT_TRUE(back.region() == d.region() && back.group() == d.group());
}

template <class F>
void with_places(int places, F f) {
  ts::run(ts::config{.places = places}, f);
}

void expect(const std::function<void()>& call, const std::string& part) {
  std::string text;
  try {
    call();
  } catch (const ts::usage_error& e) {
    text = e.what();
  }
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
}

TEST(dist_test, every_kind_gives_each_point_to_one_place) {
  for (const int places : {1, 2, 5, 6}) {
    with_places(places, [places] {
      const ts::region<2> tri = triangle();
      expect_whole<2>(plane::block(k_box), k_box);
      expect_whole<2>(plane::block(k_box, ts::axes(1)), k_box);
      expect_whole<2>(plane::block(k_box, ts::all_axes), k_box);
      expect_whole<2>(plane::block(k_box, ts::grid<2>{1, places}), k_box);
      expect_whole<2>(plane::block_block(k_box), k_box);
      expect_whole<2>(plane::cyclic(k_box, 1), k_box);
      expect_whole<2>(plane::block_cyclic(k_box, 0, 4), k_box);
      expect_whole<2>(plane::block_cyclic(k_box, ts::point(3, 4), ts::grid<2>{1, places}), k_box);
      expect_whole<2>(plane::constant(k_box), k_box);
      expect_whole<2>(plane::constant(tri, ts::place(places - 1)), tri);
      expect_whole<1>(ts::dist<1>::unique(), ts::range(0, places));
      expect_whole<2>(plane::recursive_bisection(k_box, uneven), k_box);
      expect_whole<2>(plane::recursive_bisection(tri, uneven), tri);
      expect_whole<2>(plane::morton(k_box, ts::point(4, 4), uneven), k_box);
      expect_whole<2>(plane::hilbert(k_box, ts::point(2, 3), uneven), k_box);
      expect_whole<2>(plane::hilbert(tri, ts::point(2, 2), uneven), tri);
      expect_whole<2>(
          plane::from(
              tri, [places](const ts::point<2>& p) { return ts::place(static_cast<int>(p[0] + p[1] + 30) % places); }),
          tri);
      expect_whole<2>(plane::block(ts::range(0, 0) * ts::range(0, 4)), ts::region<2>());
      expect_whole<2>(plane::block(ts::range(0, 2) * ts::range(0, 4)), ts::range(0, 2) * ts::range(0, 4));
      expect_whole<3>(ts::dist<3>::block(ts::range(0, 9) * ts::range(0, 7) * ts::range(2, 5), ts::all_axes),
                      ts::range(0, 9) * ts::range(0, 7) * ts::range(2, 5));
      expect_whole<2>(plane::block(k_box) | tri, tri);
      expect_whole<2>(ts::dist<2>(), ts::region<2>());
      const plane elements = plane::block_cyclic(k_box, 1, 3);
      expect_whole<2>(elements.nodes(), k_box.halo({{0, 1}}));
      for (const ts::point<2> x : k_box) {
        EXPECT_EQ(elements.nodes()[x], elements[x]);
      }
    });
  }
}

TEST(dist_test, parts_of_block_differ_by_one_layer) {
  with_places(7, [] {
    const auto d = ts::dist<1>::block(ts::range(10, 34));  // 24 over 7: three with 4, then 3
    std::vector<std::size_t> sizes;
    for (const ts::place p : ts::places()) {
      sizes.push_back(d.part(p).size());
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 4, 4, 3, 3, 3, 3}));
    EXPECT_EQ(d.owner(ts::point<1>(14)), ts::place(1));
  });
}

TEST(dist_test, cyclic_deals_in_turn) {
  with_places(3, [] {
    const auto d = ts::dist<1>::cyclic(ts::range(0, 8));
    const auto b = ts::dist<1>::block_cyclic(ts::range(0, 8), 0, 2);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(d[ts::point<1>(i)], ts::place(i % 3));
      EXPECT_EQ(b[ts::point<1>(i)], ts::place(i / 2 % 3));
    }
    EXPECT_EQ(d.blocks(ts::place(0)).size(), 3U);
  });
}

TEST(dist_test, the_largest_block_is_near_the_mean_for_any_number_of_places) {
  with_places(64, [] {
    const ts::box<2> square = ts::range(0, 1024) * ts::range(0, 1024);
    const ts::place_group all = ts::places();
    for (std::ptrdiff_t p = 1; p <= 64; ++p) {
      const plane d = plane::block(square, ts::all_axes, ts::place_group(all.begin(), all.begin() + p));
      EXPECT_LE(d.imbalance(), 1.05) << p;
    }
    const plane sixteen = plane::block(square, ts::all_axes, ts::place_group(all.begin(), all.begin() + 16));
    EXPECT_EQ(sixteen.blocks(ts::place(0)).front().extent(0), 64);  // faces across rows are a line for each cell
  });
}

TEST(dist_test, work_is_shared_as_it_is_asked_for) {
  with_places(4, [] {
    const std::vector<double> shares{1, 2, 4, 1};
    for (const plane& d :
         {plane::recursive_bisection(k_box, uneven, shares), plane::hilbert(k_box, ts::point(1, 1), uneven, shares),
          plane::morton(k_box, ts::point(1, 1), uneven, shares)}) {
      double all = 0;
      std::vector<double> work;
      for (const ts::place p : ts::places()) {
        double mine = 0;
        d.part(p).each([&mine](const ts::point<2>& x) { mine += uneven(x); });
        work.push_back(mine);
        all += mine;
      }
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(work[i] / all, shares[i] / 8, 0.05);
      }
    }
    const plane none = plane::recursive_bisection(k_box, [](const ts::point<2>&) { return 0; });
    EXPECT_LE(none.imbalance(), 1.1);
  });
}

TEST(dist_test, runs_along_the_curve_of_hilbert_hang_together) {
  with_places(4, [] {
    const ts::box<2> square = ts::range(0, 8) * ts::range(0, 8);
    const plane d = plane::hilbert(square, ts::point(1, 1), [](const ts::point<2>&) { return 1; });
    for (const ts::place p : ts::places()) {  // a quarter of the square each
      EXPECT_TRUE(d.part(p).is_box());
      EXPECT_EQ(d.part(p).bounding_box().extent(0), 4);
    }
  });
}

TEST(dist_test, what_is_said_is_what_is_there) {
  with_places(3, [] {
    const ts::box<2> low = ts::range(0, 3) * ts::range(0, 3);
    const ts::box<2> high = ts::range(3, 5) * ts::range(0, 3);
    const plane d = plane::from({{low, ts::place(2)}, {high, ts::place(0)}});
    EXPECT_EQ(d.owner({2, 2}), ts::place(2));
    EXPECT_EQ(d.owner({4, 0}), ts::place(0));
    EXPECT_TRUE(d.blocks(ts::place(1)).empty());
    EXPECT_TRUE(d == plane::from(ts::range(0, 5) * ts::range(0, 3),
                                 [](const ts::point<2>& p) { return ts::place(p[0] < 3 ? 2 : 0); }));
    EXPECT_FALSE(d == plane::block(ts::range(0, 5) * ts::range(0, 3)));
    const plane of_two = d | ts::place_group{ts::place(2), ts::place(1)};
    EXPECT_TRUE(of_two.region() == low);
    EXPECT_EQ(of_two.group(), (ts::place_group{ts::place(1), ts::place(2)}));
    const plane over_two = plane::block(low, ts::place_group{ts::place(2), ts::place(0)});
    EXPECT_EQ(over_two.owner({0, 0}), ts::place(2));
    EXPECT_EQ(over_two.owner({2, 0}), ts::place(0));
  });
}

TEST(dist_test, nodes_are_with_their_elements) {
  with_places(4, [] {
    const ts::box<2> elements = ts::range(0, 4) * ts::range(0, 4);
    const plane d = plane::block(elements, ts::grid<2>{2, 2});
    const plane nodes = d.nodes();
    EXPECT_TRUE(nodes.region() == ts::region<2>(ts::range(0, 5) * ts::range(0, 5)));
    for (const ts::point<2> x : ts::range(0, 5) * ts::range(0, 5)) {
      EXPECT_EQ(nodes[x], d[ts::point(std::min<ts::index_t>(x[0], 3), std::min<ts::index_t>(x[1], 3))]);
    }
    const auto half = ts::region<2>::where(elements, [](auto i, auto j) { return j <= i; });
    EXPECT_THROW(static_cast<void>((d | half).nodes()), ts::usage_error);
  });
}

TEST(dist_test, what_is_no_box_is_dealt_out_too) {
  with_places(3, [] {
    const ts::region<2> half = triangle();
    const ts::box<2> around = half.bounding_box();
    EXPECT_FALSE(half.is_box());
    const std::vector<std::pair<plane, plane>> all{
        {plane::cyclic(half, 1), plane::cyclic(around, 1)},
        {plane::block_cyclic(half, 0, 2), plane::block_cyclic(around, 0, 2)},
        {plane::block_cyclic(half, {2, 3}, ts::grid<2>{1, 3}), plane::block_cyclic(around, {2, 3}, ts::grid<2>{1, 3})}};
    for (const auto& both : all) {
      EXPECT_EQ(both.first.region(), half);
      half.each(
          [&both](const ts::point<2>& p) { EXPECT_EQ(both.first.owner(p), both.second.owner(p)) << to_string(p); });
    }
  });
}

TEST(dist_test, misuse_is_told) {
  with_places(3, [] {
    const auto one = [](const ts::point<2>&) { return 1; };
    expect([] { static_cast<void>(plane::block(k_box, ts::grid<2>{2, 2})); }, "3 places");
    expect([] { static_cast<void>(plane::block(k_box, ts::grid<2>{0, 2})); }, "0 parts along axis 0");
    expect([] { static_cast<void>(plane::block(k_box, ts::axes(2))); }, "no axis 2");
    expect([] { static_cast<void>(plane::block(k_box, ts::axes(1, 1))); }, "twice");
    expect([] { static_cast<void>(plane::block(triangle())); }, "not a box");
    expect([] { static_cast<void>(plane::block(k_box, ts::place_group{})); }, "no place");
    expect([] { static_cast<void>(plane::block(k_box, ts::place_group{ts::place(1), ts::place(1)})); },
           "place 1 is there twice");
    expect([] { static_cast<void>(plane::block_cyclic(k_box, 0, 0)); }, "blocks of 0");
    expect([] { static_cast<void>(plane::block_cyclic(k_box, ts::point(2, -1), ts::grid<2>{1, 1})); }, "blocks of -1");
    expect([] { static_cast<void>(plane::cyclic(k_box, 7)); }, "dist::cyclic: there is no axis 7");
    expect([] { static_cast<void>(plane::block_cyclic(k_box, 7, 2)); }, "dist::block_cyclic: there is no axis 7");
    expect([] { static_cast<void>(plane::block(k_box).owner({100, 0})); }, "(100,0) is not in");
    expect([] { static_cast<void>(plane::block(k_box).block_of({-4, 5})); }, "(-4,5) is not in");
    expect([&one] { static_cast<void>(plane::recursive_bisection(k_box, one, {1, 2})); }, "2 shares for 3 places");
    const ts::place_group alone{ts::place(0)};
    expect([&] { static_cast<void>(plane::recursive_bisection(k_box, one, {1, 2}, alone)); }, "2 shares for 1 place;");
    expect([&] { static_cast<void>(plane::recursive_bisection(k_box, one, {1})); }, "1 share for 3 places;");
    expect([&one] { static_cast<void>(plane::hilbert(k_box, ts::point(2, 2), one, {1, 2, -1})); }, "a share is -1");
    expect([&one] { static_cast<void>(plane::morton(k_box, ts::point(2, 0), one)); }, "blocks of 0");
    expect(
        [] { static_cast<void>(plane::recursive_bisection(k_box, [](const ts::point<2>&) { return std::nan(""); })); },
        "the work of (-3,5)");
    expect([] { static_cast<void>(plane::from({{k_box, ts::place(1)}, {k_box.face(0, 1), ts::place(2)}})); },
           "(19,5) is in the part of place 2");
    expect([] { static_cast<void>(plane::from({{k_box, ts::place(1)}}, ts::place_group{ts::place(0)})); },
           "place 1 is to have points");
  });
  EXPECT_THROW(static_cast<void>(plane::block(k_box)), ts::usage_error);  // places() outside a run
}

TEST(dist_test, blocks_and_tiles_may_be_as_long_as_indices_go) {
  ts::run(ts::config{.threads = 1, .places = 2}, [] {
    constexpr auto most = std::numeric_limits<ts::index_t>::max();
    const auto one = [](const auto&) { return 1.0; };
    expect_whole(ts::dist<1>::block_cyclic(ts::range(1, 5), 0, most), ts::region<1>(ts::range(1, 5)));
    expect_whole(ts::dist<1>::morton(ts::range(1, 5), ts::point<1>(most), one), ts::region<1>(ts::range(1, 5)));
    const ts::index_t far = ts::index_t{1} << 32;
    const ts::box<2> low = ts::range(0, 1) * ts::range(0, 1);
    const ts::region<2> two = ts::region<2>(low) | ts::region<2>(low + ts::point<2>(far - 1, far - 1));
    EXPECT_THROW(static_cast<void>(plane::hilbert(two, {1, 1}, one)),
                 ts::usage_error);  // more tiles than can be counted
  });
}

static_assert(std::is_same_v<decltype(std::declval<plane>().region()), ts::region<2>>);
static_assert(std::is_same_v<decltype(std::declval<const plane&>().region()), const ts::region<2>&>);

TEST(dist_test, regions_at_the_ends_of_all_indices_are_dealt_out_or_refused) {
  ts::run(ts::config{.threads = 1, .places = 2}, [] {
    constexpr auto most = std::numeric_limits<ts::index_t>::max();
    constexpr auto least = std::numeric_limits<ts::index_t>::min();
    const auto one = [](const auto&) { return 1.0; };
    const ts::region<1> high = ts::range(most - 5, most);
    const ts::region<1> low = ts::range(least, least + 5);
    for (const ts::region<1>& r : {high, low}) {
      expect_whole(ts::dist<1>::block(r), r);
      expect_whole(ts::dist<1>::cyclic(r), r);
      expect_whole(ts::dist<1>::block_cyclic(r, 0, 2), r);
      expect_whole(ts::dist<1>::recursive_bisection(r, one), r);
      expect_whole(ts::dist<1>::hilbert(r, ts::point<1>(2), one), r);
      expect_whole(ts::dist<1>::from(r, [](const auto& p) { return ts::place(static_cast<int>(p[0] & 1)); }), r);
    }
    expect_whole(ts::dist<1>::block(low).nodes(), ts::region<1>(ts::range(least, least + 6)));
    expect([&] { static_cast<void>(ts::dist<1>::block(high).nodes()); }, "largest index along axis 0");

    const std::string cannot = "has more points than can be counted";
    const ts::box<1> all = ts::range(least, most);
    expect([&] { static_cast<void>(ts::dist<1>::block(all)); }, cannot);
    expect([&] { static_cast<void>(ts::dist<1>::block(all, ts::all_axes)); }, cannot);
    expect([&] { static_cast<void>(ts::dist<1>::cyclic(all)); }, cannot);
    expect([&] { static_cast<void>(ts::dist<1>::recursive_bisection(all, one)); }, cannot);
    expect([&] { static_cast<void>(ts::dist<1>::morton(all, ts::point<1>(most), one)); }, cannot);
    expect([&] { static_cast<void>(plane::block_block(all * ts::range(0, 2))); }, cannot);
  });
}

TEST(dist_test, one_that_was_moved_stays_what_it_is) {
  ts::run(ts::config{.threads = 1, .places = 2}, [] {
    plane a = plane::block(k_box);
    const plane b = std::move(a);
    EXPECT_TRUE(a == b);  // NOLINT(bugprone-use-after-move): that it may be used
  });
}

}  // namespace
