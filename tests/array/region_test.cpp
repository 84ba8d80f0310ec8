// SPDX-License-Identifier: Apache-2.0
// point, box, region: sets of points, against sets that are listed.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

// ---- points ----

static_assert(std::is_trivially_copyable_v<ts::point<3>> && ts::travels<ts::point<3>> && ts::travels<ts::box<2>> &&
              ts::travels<ts::region<2>>);
static_assert(std::is_same_v<decltype(ts::point{1, 2L, 3U}), ts::point<3>>);
static_assert(!std::is_convertible_v<int, ts::point<1>> && std::is_convertible_v<ts::point<1>, ts::index_t>);
static_assert(ts::point(1, 2) + ts::point(3, 4) == ts::point(4, 6) && -ts::point(1, -2) == ts::point(-1, 2));
static_assert(ts::point(1, 9) < ts::point(2, 0) && ts::point(1, 2) < ts::point(1, 3));
static_assert(ts::point<3>::all(2) - ts::point<3>::unit(1, 2) == ts::point(2, 0, 2));
static_assert(std::forward_iterator<ts::box<2>::iterator> && std::forward_iterator<ts::region<2>::iterator>);

TEST(point_test, is_written_as_a_tuple) { EXPECT_EQ(to_string(ts::point(-1, 5)), "(-1,5)"); }

// ---- boxes ----

constexpr ts::box<2> k_box{{0, 0}, {3, 4}};
static_assert(k_box == ts::range(0, 3) * ts::range(0, 4) && k_box.size() == 12 && k_box.extent(1) == 4);
static_assert(k_box.halo(1).size() == 30 && k_box.halo({1, 0}).size() == 20);
static_assert(k_box.halo({{1, 0}, {0, 2}}).size() == 24 && k_box.halo({{1, 0}}) == k_box.halo(ts::width(1, 0)));
static_assert(k_box.inner(1).size() == 2 && k_box.inner(2).empty());
static_assert(k_box.face(0, 0).size() == 4 && k_box.face(1, 1, 2).lo == ts::point(0, 2) &&
              k_box.face(0, 1, 9) == k_box);
static_assert(k_box.contains(ts::point(2, 3)) && !k_box.contains(ts::point(3, 0)) && k_box.contains(k_box.inner(1)));
static_assert(ts::box<2>{{5, 5}, {1, 9}}.empty() && ts::box<2>{{5, 5}, {1, 9}} == ts::box<2>{});
static_assert((k_box & (k_box + ts::point(2, 3))).size() == 1);

// Constants do not compile where a sum overflows.
constexpr ts::index_t k_most = std::numeric_limits<ts::index_t>::max();
constexpr ts::index_t k_least = std::numeric_limits<ts::index_t>::min();
constexpr ts::box<2> k_far{{k_least, k_most - 3}, {k_least + 3, k_most}};
constexpr ts::box<1> k_line = ts::range(k_least, k_most);
static_assert(k_line.extent(0) == k_most && ts::range(k_most, k_least).extent(0) == 0 &&
              ts::range(0, k_most).extent(0) == k_most && ts::range(-1, k_most).extent(0) == k_most);
static_assert(k_far.face(0, 0, k_most) == k_far && k_far.face(0, 1, k_most) == k_far &&
              k_far.face(1, 0, k_most) == k_far && k_far.face(1, 1, k_most) == k_far);
static_assert(k_far.face(0, 1, k_least).empty() && k_far.face(1, 0, k_least).empty());
static_assert(k_far.inner(1).size() == 1 && k_far.inner(k_most).empty() && k_far.inner({{k_most, 0}}).empty() &&
              k_far.inner({{0, k_most}}).empty());
static_assert(k_box.inner(k_most).empty() && k_line.inner(k_most - 1) == ts::range(-2, 1) &&
              k_line.inner({{k_most, k_most}}) == ts::range(-1, 0));
static_assert(k_far.halo(k_most).lo == ts::point(k_least, -3) && k_far.halo(k_most).hi == ts::point(2, k_most));
static_assert(k_far.halo(-k_most) == k_far.inner(k_most) && k_far.inner(-1) == k_far.halo(1));

TEST(box_test, goes_over_its_points_in_their_order) {
  std::vector<ts::point<2>> by_each;
  k_box.each([&](auto i, auto j) { by_each.emplace_back(i, j); });
  const std::vector<ts::point<2>> by_range(k_box.begin(), k_box.end());
  EXPECT_EQ(by_each, by_range);
  EXPECT_TRUE(std::is_sorted(by_each.begin(), by_each.end()));
  EXPECT_EQ(by_each.size(), 12U);
  for (const ts::box<2> empty : {ts::box<2>{{0, 0}, {0, 4}}, ts::box<2>{{0, 0}, {4, 0}}, ts::box<2>{{3, 3}, {1, 1}}}) {
    EXPECT_TRUE(empty.begin() == empty.end());
    empty.each([](const ts::point<2>&) { ADD_FAILURE(); });
  }
}

TEST(box_test, says_when_it_cannot_count) {
  constexpr auto most = std::numeric_limits<ts::index_t>::max();
  EXPECT_THROW(static_cast<void>((ts::range(0, most) * ts::range(0, 3)).size()), ts::usage_error);
  EXPECT_THROW(static_cast<void>(ts::range(-most, most).size()), ts::usage_error);
  EXPECT_EQ((ts::range(0, most) * ts::range(0, 0)).size(), 0U);
  EXPECT_EQ(ts::range(0, most).size(), static_cast<std::size_t>(most));
}

TEST(region_test, grows_no_farther_than_indices_go) {
  const ts::region<2> far = ts::region<2>(k_far) | ts::region<2>(k_far + ts::point(9, -9));
  EXPECT_TRUE(far.halo(k_most).contains(far));
  EXPECT_EQ(far.halo(k_most).bounding_box(), (ts::box<2>{{k_least, -12}, {11, k_most}}));
  EXPECT_THROW(static_cast<void>(far.halo(k_most).size()), ts::usage_error);
}

// ---- per axis ----

TEST(per_axis_test, wants_one_value_or_one_for_each_axis) {
  EXPECT_EQ(ts::widths<3>(2)[2], ts::width(2, 2));
  const ts::widths<3> sides{{1, 0}, {2, 1}, {0, 0}};
  EXPECT_EQ(sides[1], ts::width(2, 1));
  EXPECT_THROW((ts::widths<3>{1, 2}), ts::usage_error);
}

// ---- regions ----

template <std::size_t N>
class random_sets {
public:
  explicit random_sets(unsigned seed) : random_(seed) {}

  std::vector<ts::box<N>> boxes() {
    std::vector<ts::box<N>> some(below(6));
    for (ts::box<N>& b : some) {
      for (std::size_t d = 0; d < N; ++d) {
        b.lo[d] = static_cast<ts::index_t>(below(6)) - 3;
        b.hi[d] = b.lo[d] + static_cast<ts::index_t>(below(5));
      }
    }
    return some;
  }

  std::vector<ts::box<N>> shuffled(const ts::region<N>& r) {
    std::vector<ts::box<N>> some(r.boxes().begin(), r.boxes().end());
    std::shuffle(some.begin(), some.end(), random_);
    return some;
  }

private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::mt19937 random_;
};

template <std::size_t N>
std::set<ts::point<N>> listed(const std::vector<ts::box<N>>& boxes) {
  std::set<ts::point<N>> points;
  for (const ts::box<N>& b : boxes) {
    points.insert(b.begin(), b.end());
  }
  return points;
}

// The region has the points for which is_in holds, and each once.
template <std::size_t N, class F>
void expect_has(const ts::region<N>& r, F is_in, random_sets<N>& random) {
  const ts::box<N> all{ts::point<N>::all(-6), ts::point<N>::all(10)};
  std::set<ts::point<N>> met;
  for (const ts::point<N> p : r) {
    ASSERT_TRUE(is_in(p) && met.insert(p).second) << to_string(p);
  }
  for (const ts::point<N> p : all) {
    ASSERT_EQ(r.contains(p), is_in(p)) << to_string(p);
    ASSERT_EQ(met.contains(p), is_in(p)) << to_string(p);
  }
  EXPECT_EQ(r.size(), met.size());
  EXPECT_EQ(r.empty(), met.empty());
  // One form for one set, whatever it was made of.
  EXPECT_TRUE(ts::region<N>(random.shuffled(r)) == r);
  EXPECT_TRUE(ts::region<N>::where(all, is_in) == r);
  EXPECT_TRUE(
      std::is_sorted(r.boxes().begin(), r.boxes().end(), [](const auto& a, const auto& b) { return a.lo < b.lo; }));
}

template <std::size_t N>
void algebra(unsigned seed, int rounds) {
  random_sets<N> random(seed);
  for (int round = 0; round < rounds; ++round) {
    const std::vector<ts::box<N>> boxes_a = random.boxes();
    const std::vector<ts::box<N>> boxes_b = random.boxes();
    const ts::region<N> a(boxes_a);
    const ts::region<N> b(boxes_b);
    const std::set<ts::point<N>> in_a = listed(boxes_a);
    const std::set<ts::point<N>> in_b = listed(boxes_b);
    expect_has(a & b, [&](const ts::point<N>& p) { return in_a.contains(p) && in_b.contains(p); }, random);
    expect_has(a | b, [&](const ts::point<N>& p) { return in_a.contains(p) || in_b.contains(p); }, random);
    expect_has(a - b, [&](const ts::point<N>& p) { return in_a.contains(p) && !in_b.contains(p); }, random);
    const ts::point<N> v = ts::point<N>::unit(N - 1, 2);
    expect_has(a + v, [&](const ts::point<N>& p) { return in_a.contains(p - v); }, random);
    EXPECT_EQ(a.contains(b), std::includes(in_a.begin(), in_a.end(), in_b.begin(), in_b.end()));
    std::set<ts::point<N>> around;
    for (const ts::point<N>& p : in_a) {
      for (const ts::point<N> q : ts::box<N>{p, p + ts::point<N>::all(1)}.halo(ts::width(1, 2))) {
        around.insert(q);
      }
    }
    expect_has(a.halo(ts::width(1, 2)), [&](const ts::point<N>& p) { return around.contains(p); }, random);
  }
}

TEST(region_test, is_a_set_with_one_axis) { algebra<1>(1, 200); }
TEST(region_test, is_a_set_with_two_axes) { algebra<2>(2, 100); }
TEST(region_test, is_a_set_with_three_axes) { algebra<3>(3, 12); }
TEST(region_test, is_a_set_with_four_axes) { algebra<4>(4, 1); }

TEST(region_test, products_and_projections_belong_together) {
  random_sets<2> random(5);
  for (int round = 0; round < 50; ++round) {
    const ts::region<2> a(random.boxes());
    const ts::region<1> b = ts::region<1>(ts::range(0, 2)) | ts::region<1>(ts::range(4, 7));
    const ts::region<3> both = a * b;
    EXPECT_EQ(both.size(), a.size() * b.size());
    both.each([&](auto i, auto j, auto k) { EXPECT_TRUE(a.contains({i, j}) && b.contains(ts::point<1>(k))); });
    std::set<ts::index_t> rows;
    a.each([&rows](auto i, auto) { rows.insert(i); });
    const ts::region<1> shadow = a.projection(0);
    EXPECT_EQ(shadow.size(), rows.size());
    for (const ts::index_t i : rows) {
      EXPECT_TRUE(shadow.contains(ts::point<1>(i)));
    }
  }
}

// Of the points in a small square, those that lie in a convex hull: by all lines through two of them.
bool has_all_of_its_hull(const ts::region<2>& r, const ts::box<2>& within) {
  const std::vector<ts::point<2>> points(r.begin(), r.end());
  for (const ts::point<2> p : within) {
    if (r.contains(p)) {
      continue;
    }
    bool is_outside = points.empty();
    for (ts::index_t x = -12; x <= 12 && !is_outside; ++x) {  // p is not in the hull where some line parts them
      for (ts::index_t y = -12; y <= 12 && !is_outside; ++y) {
        is_outside = std::all_of(points.begin(), points.end(),
                                 [&](const ts::point<2>& q) { return x * (q[0] - p[0]) + y * (q[1] - p[1]) > 0; });
      }
    }
    if (!is_outside) {
      return false;
    }
  }
  return true;
}

TEST(region_test, knows_whether_it_is_convex) {
  const ts::box<2> square = ts::range(0, 4) * ts::range(0, 4);
  int convex = 0;
  for (unsigned bits = 0; bits < (1U << 16U); bits += 7) {
    const auto r = ts::region<2>::where(square, [bits](auto i, auto j) { return ((bits >> (4 * i + j)) & 1U) != 0; });
    const bool is_convex = has_all_of_its_hull(r, square);
    ASSERT_EQ(r.is_convex(), is_convex) << bits;
    convex += is_convex ? 1 : 0;
  }
  EXPECT_GT(convex, 10);
  const ts::box<3> cube = ts::range(-5, 6) * ts::range(-5, 6) * ts::range(-5, 6);
  const auto ball = ts::region<3>::where(cube, [](auto i, auto j, auto k) { return i * i + j * j + k * k <= 25; });
  EXPECT_TRUE(ball.is_convex());
  EXPECT_FALSE((ball - ts::region<3>(ts::range(0, 1) * ts::range(0, 1) * ts::range(0, 1))).is_convex());
  EXPECT_FALSE((ts::region<1>(ts::range(0, 2)) | ts::region<1>(ts::range(3, 4))).is_convex());
}

TEST(region_test, a_gap_of_a_whole_plane_is_not_convex) {
  const ts::region<3> one(ts::range(0, 1) * ts::range(0, 1) * ts::range(0, 1));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_FALSE((one | (one + ts::point<3>::unit(axis, 2))).is_convex()) << axis;
    EXPECT_TRUE((one | (one + ts::point<3>::unit(axis, 1))).is_convex()) << axis;
  }
}

// What a loop goes over is there as long as the loop.
static_assert(std::is_same_v<decltype(std::declval<ts::region<2>>().boxes()), std::vector<ts::box<2>>>);
static_assert(std::is_same_v<decltype(std::declval<ts::region<2>&>().boxes()), std::span<const ts::box<2>>>);

TEST(region_test, boxes_of_a_region_that_goes_stay) {
  const ts::region<2> whole(ts::range(0, 9) * ts::range(0, 9));
  std::size_t points = 0;
  for (const ts::box<2>& b : (whole - ts::region<2>(whole.bounding_box().inner(1))).boxes()) {
    points += b.size();
  }
  EXPECT_EQ(points, 32U);
}

TEST(region_test, points_and_boxes_are_texts_by_either_name) {
  EXPECT_EQ(ts::to_string(ts::point<2>{-1, 5}), "(-1,5)");
  EXPECT_EQ(to_string(ts::point<1>(7)), "(7)");
  EXPECT_EQ(ts::to_string(ts::range(0, 2) * ts::range(1, 3)), "[(0,1),(2,3))");
}

template <std::size_t N>
void exists() {
  const ts::region<N> r(ts::box<N>{ts::point<N>::all(0), ts::point<N>::all(2)});
  EXPECT_EQ(r.size(), std::size_t{1} << N);
  EXPECT_EQ((r | (r + ts::point<N>::all(1))).size(), (std::size_t{2} << N) - 1);
  EXPECT_EQ(r.bounding_box().halo(1).size(), std::size_t{1} << (2 * N));
}

TEST(region_test, has_one_to_seven_axes) {
  exists<1>();
  exists<2>();
  exists<3>();
  exists<4>();
  exists<5>();
  exists<6>();
  exists<7>();
}

}  // namespace
