// SPDX-License-Identifier: Apache-2.0
// Views as std::mdspan, where the C++ library has it: g++ 12's does not.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <version>

namespace {

namespace ts = tactus;

#if defined(__cpp_lib_mdspan)
template <class View>
void every_element_is_where_the_view_has_it(const View& u) {
  const auto m = u.mdspan();
  const ts::box<2> stored = u.stored();
  ASSERT_EQ(m.extent(0), stored.extent(0));
  ASSERT_EQ(m.extent(1), stored.extent(1));
  stored.each([&](const ts::point<2>& p) {
    const ts::point<2> from_0 = p - u.origin();
    EXPECT_EQ((&m[from_0[0], from_0[1]]), &u[p]) << to_string(p);
  });
}

TEST(mdspan_test, does_not_travel) {
  static_assert(!ts::travels<decltype(std::declval<ts::array<int, 2>&>().all().mdspan())>);
}

TEST(mdspan_test, of_an_array) {
  ts::array<int, 2> a(ts::range(-2, 5) * ts::range(3, 14), 0);
  every_element_is_where_the_view_has_it(a.all());
}

TEST(mdspan_test, of_pieces_among_others_in_one_dense_box) {
  ts::run(ts::config{.threads = 1, .places = 1, .env = false}, [] {
    const ts::region<2> r(ts::range(0, 12) * ts::range(0, 10));
    ts::dist_array<int, 2> a(ts::dist<2>::block_cyclic(r, 1, 4),
                             {.ghost = 1, .storage = ts::block_storage::bounding_box, .name = "a"});
    int pieces = 0;
    for (const auto& u : a.ref().blocks()) {
      every_element_is_where_the_view_has_it(u);
      ++pieces;
    }
    EXPECT_GT(pieces, 1);
  });
}

TEST(mdspan_test, of_nothing) {
  ts::array<int, 2> a(ts::range(0, 0) * ts::range(0, 0), 0);
  EXPECT_EQ(a.all().mdspan().size(), 0U);
}
#else
TEST(mdspan_test, of_an_array) { GTEST_SKIP() << "the C++ library has no <mdspan>"; }
#endif

}  // namespace
