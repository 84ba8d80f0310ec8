// SPDX-License-Identifier: Apache-2.0
// Which cells are ghosts, and whom they come from.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>

namespace {
namespace ts = tactus;

using plane = ts::dist_array<double, 2>;
const ts::box<2> k_plate = ts::range(0, 8) * ts::range(0, 6);

void at_places(int n, const std::function<void()>& body) { ts::run(ts::config{.threads = 1, .places = n}, body); }

// Along how many axes p lies beyond the box.
int axes_beyond(const ts::box<2>& b, const ts::point<2>& p) {
  int axes = 0;
  for (std::size_t d = 0; d < 2; ++d) {
    axes += p[d] < b.lo[d] || p[d] >= b.hi[d] ? 1 : 0;
  }
  return axes;
}

void expect_ghosts(const ts::array_options<2>& o) {
  plane a(ts::dist<2>::block(k_plate, ts::grid<2>{2, 2}), o);
  ts::at_each(ts::places(), [h = a.ref()] {
    const auto own = h.options();
    const auto u = h.local();
    const auto expected = ts::region<2>::where(u.stored(), [&](const ts::point<2>& p) {
      const int axes = axes_beyond(u.resident(), p);
      return axes != 0 && (axes == 1 || own.corners) && k_plate.contains(p);
    });
    EXPECT_EQ(h.ghosts(), expected);
    std::size_t cells = 0;
    for (const ts::ghost_neighbour& n : h.neighbours()) {
      EXPECT_NE(n.place, ts::here());
      cells += n.cells_in;
    }
    EXPECT_EQ(h.ghosts().size(), cells);
    for (const ts::point<2> p : u.stored()) {
      h(p) = 1;  // outer cells are there all the same
    }
  });
}

TEST(ghost_cells_test, ghosts_are_the_cells_that_an_exchange_brings) {
  at_places(4, [] {
    for (const bool outer : {false, true}) {
      for (const bool corners : {false, true}) {
        for (const auto how : {ts::ghost_exchange::put, ts::ghost_exchange::shift}) {
          expect_ghosts({.ghost = {1, 2}, .outer = outer, .corners = corners, .exchange = how});
        }
      }
    }
  });
}

TEST(ghost_cells_test, without_neighbours_there_are_no_ghosts) {
  at_places(1, [] {
    const plane a(ts::dist<2>::block(k_plate), {.ghost = 1, .outer = true});
    EXPECT_TRUE(a.ref().ghosts().empty());
    const plane none(ts::dist<2>::block(k_plate), {.name = "none"});
    EXPECT_TRUE(none.ref().ghosts().empty());
  });
}

TEST(ghost_cells_test, beyond_the_border_of_a_region_that_is_no_box_there_are_no_ghosts) {
  at_places(2, [] {
    const auto triangle = ts::region<2>::where(k_plate, [](auto i, auto j) { return j <= i; });
    plane a(ts::dist<2>::block(k_plate) | triangle, {.ghost = 1, .storage = ts::block_storage::bounding_box});
    ts::at_each(ts::places(), [h = a.ref()] { EXPECT_TRUE(h.dist().region().contains(h.ghosts())); });
    EXPECT_FALSE(a.ref().ghosts().empty());
  });
}

TEST(ghost_cells_test, neighbours_are_those_of_the_grid) {
  at_places(8, [] {
    const ts::box<3> room = ts::range(0, 8) * ts::range(0, 8) * ts::range(0, 8);
    ts::dist_array<double, 3> with(ts::dist<3>::block(room, ts::grid<3>{2, 2, 2}), {.ghost = 1, .name = "with"});
    ts::dist_array<double, 3> without(with.dist(), {.ghost = 1, .corners = false, .name = "without"});
    ts::at_each(ts::places(), [h = with.ref(), k = without.ref()] {
      EXPECT_EQ(h.neighbours().size(), 7U);  // one at each face, edge and corner inside
      EXPECT_EQ(k.neighbours().size(), 3U);
      std::size_t cells = 0;
      for (const auto& n : h.neighbours()) {
        cells += n.cells_in;
        EXPECT_EQ(n.cells_in, n.cells_out);
      }
      EXPECT_EQ(cells, 3U * 16 + 3 * 4 + 1);
    });
  });
}

}  // namespace
