// SPDX-License-Identifier: Apache-2.0
// array and view: elements under global indices.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace {
namespace ts = tactus;

static_assert(std::is_trivially_copyable_v<ts::view<double, 3>> && !ts::travels<ts::view<double, 3>>);
static_assert(std::is_convertible_v<ts::view<int, 2>, ts::view<const int, 2>> &&
              !std::is_convertible_v<ts::view<const int, 2>, ts::view<int, 2>>);
static_assert(ts::travels<ts::array<double, 2>> && ts::travels<ts::array<bool, 2>> &&
              ts::travels<ts::array<std::string, 1>>);

// What a loop goes over is there as long as the loop: for (point p : h.local().resident()).
template <class T>
inline constexpr bool is_a_box = std::is_same_v<T, ts::box<2>>;
static_assert(is_a_box<decltype(std::declval<ts::view<int, 2>>().stored())> &&
              is_a_box<decltype(std::declval<ts::view<int, 2>>().resident())> &&
              is_a_box<decltype(std::declval<ts::view<int, 2>>().interior())> &&
              is_a_box<decltype(std::declval<ts::array<int, 2>>().region())>);

template <std::size_t N>
void indices_are_rows() {
  const ts::box<N> b{ts::point<N>::all(-1), ts::point<N>::all(1) + ts::point<N>::unit(N - 1, 2)};
  ts::array<int, N> a(b, 7);
  const ts::view<int, N> u = a.all();
  int next = 0;
  for (const ts::point<N> p : b) {
    EXPECT_EQ(&u[p], a.data() + next);
    EXPECT_EQ(&a[p], &u(p));
    u[p] = next++;
  }
  EXPECT_EQ(static_cast<std::size_t>(next), a.size());
  EXPECT_EQ(std::accumulate(a.data(), a.data() + a.size(), 0), next * (next - 1) / 2);
  EXPECT_EQ(u.stride(N - 1), 1);
}

TEST(array_test, elements_lie_row_after_row) {
  indices_are_rows<1>();
  indices_are_rows<2>();
  indices_are_rows<3>();
  indices_are_rows<4>();
}

TEST(array_test, copies_are_deep_and_compare) {
  ts::array<std::string, 2> a(ts::range(0, 2) * ts::range(0, 3), "x");
  ts::array<std::string, 2> b = a;
  EXPECT_TRUE(a == b);
  b(1, 2) = "y";
  EXPECT_FALSE(a == b);
  EXPECT_EQ(a(1, 2), "x");
  const ts::array<std::string, 2> moved = std::move(b);
  EXPECT_EQ(moved(1, 2), "y");
  EXPECT_FALSE((ts::array<int, 1>(ts::range(0, 2)) == ts::array<int, 1>(ts::range(1, 3))));
  ts::array<bool, 1> flags(ts::range(0, 9), true);
  flags(4) = false;
  const ts::array<bool, 1> same = flags;
  EXPECT_TRUE(same == flags && !same(4) && same(5));
}

TEST(array_test, more_than_can_be_counted_is_refused) {
  EXPECT_THROW((ts::array<char, 2>(ts::range(0, 1L << 40) * ts::range(0, 1L << 40))), ts::usage_error);
}

TEST(array_test, travels) {
  ts::run(ts::config{.places = 2}, [] {
    ts::array<double, 2> a(ts::range(-1, 3) * ts::range(0, 4), 0.5);
    a(2, 3) = 8;
    ts::array<bool, 1> flags(ts::range(0, 9), true);
    flags(4) = false;
    const auto back = ts::at(
        ts::place(1),
        [](ts::array<double, 2> b, const ts::array<bool, 1>& f) {
          b(-1, 0) = f(4) ? 1 : 2;
          return b;
        },
        a, flags);
    EXPECT_EQ(back(-1, 0), 2);
    EXPECT_EQ(back(2, 3), 8);
    EXPECT_EQ(back.region(), a.region());
  });
}

// Where an index times a stride is beyond all indices, too; in constant expressions what is undefined does not compile.
constexpr bool finds_its_elements(const ts::point<3>& lo) {
  const ts::box<3> stored{lo, lo + ts::point<3>(2, 3, 4)};
  std::array<int, 24> cells{};
  const ts::view<int, 3> u(cells.data(), stored);
  const ts::box<3> half{lo + ts::point<3>(1, 0, 0), stored.hi};
  const ts::view<int, 3> upper(u, half, half, half, 1);
  const ts::view<const int, 3> same = upper;
  bool all = true;
  for (const ts::point<3>& p : half) {
    const ts::point<3> from = p - lo;
    const int* const right = cells.data() + (from[0] * 3 + from[1]) * 4 + from[2];
    all = all && &u[p] == right && &upper(p[0], p[1], p[2]) == right && &same[p] == right;
  }
  return all;
}
constexpr ts::index_t k_last = std::numeric_limits<ts::index_t>::max();
static_assert(finds_its_elements({-1, 0, 1}));
static_assert(finds_its_elements({k_last - 2, k_last - 3, k_last - 4}));
static_assert(finds_its_elements({-k_last - 1, -k_last - 1, -k_last - 1}));
static_assert(finds_its_elements({k_last / 5, -k_last - 1, k_last - 4}));

TEST(view_test, rows_are_spans) {
  ts::array<int, 3> a(ts::range(0, 2) * ts::range(0, 3) * ts::range(0, 4));
  std::iota(a.data(), a.data() + a.size(), 0);
  const ts::box<3> part = ts::range(0, 2) * ts::range(1, 3) * ts::range(1, 3);
  int sum = 0;
  int rows = 0;
  for (const std::span<int> row : a.all().rows(part)) {
    EXPECT_EQ(row.size(), 2U);
    sum += row[0] + row[1];
    ++rows;
  }
  int expected = 0;
  part.each([&](const ts::point<3>& p) { expected += a[p]; });
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(rows, 4);
  for ([[maybe_unused]] const std::span<int> row : a.all().rows(ts::range(0, 2) * ts::range(1, 3) * ts::range(2, 2))) {
    ADD_FAILURE();
  }
}

TEST(view_test, interior_and_boundary_are_what_is_resident) {
  ts::array<int, 2> a(ts::range(-1, 6) * ts::range(0, 6));
  const ts::box<2> resident = ts::range(0, 5) * ts::range(0, 5);
  for (const ts::box<2> interior : {ts::range(1, 4) * ts::range(0, 4), ts::range(0, 5) * ts::range(0, 5),
                                    ts::range(2, 3) * ts::range(1, 2), ts::range(3, 3) * ts::range(0, 5)}) {
    const ts::view<int, 2> u(a.data(), a.region(), resident, interior);
    std::multiset<ts::point<2>> met(interior.begin(), interior.end());
    for (const auto& layer : u.boundary()) {
      met.insert(layer.begin(), layer.end());
    }
    EXPECT_TRUE(std::equal(met.begin(), met.end(), resident.begin(), resident.end()));
  }
}

}  // namespace
