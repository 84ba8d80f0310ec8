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
      if (k_plate.contains(p) && axes_beyond(u.resident(), p) > 1 && !own.corners) {
        EXPECT_THROW(static_cast<void>(h(p)), ts::place_error);
      } else {
        h(p) = 1;  // outer cells are there all the same
      }
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

// Place 0 has two cells: (1, 1) lies diagonally to the first, and beside the second.
void expect_exchanged_cells(ts::block_storage storage) {
  const ts::box<2> b = ts::range(0, 3) * ts::range(0, 4);
  const auto d = ts::dist<2>::from(ts::region<2>(b), [](const ts::point<2>& p) {
    return ts::place(p == ts::point<2>(0, 0) || p == ts::point<2>(1, 2) ? 0 : 1);
  });
  plane a(d, {.ghost = 1, .corners = false, .storage = storage, .name = "a"});
  a.for_each([](const ts::point<2>& p, double& x) { x = static_cast<double>(10 * p[0] + p[1]); });
  a.update_ghosts();
  const auto h = a.ref();
  EXPECT_TRUE(h.ghosts().contains({1, 1}));
  for (const ts::point<2> p : h.ghosts()) {
    EXPECT_EQ(h(p), static_cast<double>(10 * p[0] + p[1])) << to_string(p);
  }
  const bool share_cells = storage == ts::block_storage::bounding_box;
  ts::at_each(ts::places(), [h, share_cells] {
    const auto own = h.resident();
    for (const auto& u : h.blocks()) {  // else what comes from another block of the place goes back to it, too
      for (const ts::point<2> p : u.stored()) {
        u[p] = u.resident().contains(p) || (share_cells && own.contains(p)) ? u[p] : 0;
      }
    }
  });
  h(1, 1) += 100;
  ts::at_each(ts::places(), [h] { h.accumulate_ghosts(ts::op::sum); });
  EXPECT_EQ(a.get({1, 1}), 111);
}

TEST(ghost_cells_test, a_cell_is_that_of_the_block_which_an_exchange_brings_it_to) {
  at_places(2, [] {
    expect_exchanged_cells(ts::block_storage::each);
    expect_exchanged_cells(ts::block_storage::bounding_box);
  });
}

TEST(ghost_cells_test, what_is_stored_and_nobody_sends_is_refused) {
  at_places(2, [] {
    plane a(ts::dist<2>::block(k_plate, ts::grid<2>{1, 2}),
            {.ghost = 1, .periodic = {true, false}, .corners = false, .name = "a"});
    a.fill(0);
    const auto h = a.ref();
    EXPECT_EQ(h(-1, 2), 0);  // across the edge, from this place itself
    EXPECT_EQ(h(8, 0), 0);
    EXPECT_EQ(h(7, 3), 0);  // of place 1
    EXPECT_FALSE(h.ghosts().contains({-1, 3}));
    EXPECT_THROW(static_cast<void>(h(-1, 3)), ts::place_error);
    EXPECT_THROW(static_cast<void>(h(8, 3)), ts::place_error);

    const auto hole = ts::region<2>(k_plate) - ts::region<2>(ts::range(1, 2) * ts::range(1, 2));
    for (const bool corners : {false, true}) {
      plane b(ts::dist<2>::block(k_plate) | hole, {.ghost = 1, .outer = true, .corners = corners, .name = "b"});
      b.fill(0);
      ts::at_each(ts::places(), [k = b.ref()] {
        const auto here = k.resident() | k.ghosts();
        k.dist().region().bounding_box().halo(1).each([&](const ts::point<2>& p) {
          const bool is_outer = !k_plate.contains(p);
          const bool is_stored = k.resident().bounding_box().halo(1).contains(p);
          if (here.contains(p) || (is_outer && is_stored)) {
            k(p) = 1;
          } else {
            EXPECT_THROW(static_cast<void>(k(p)), ts::place_error) << to_string(p);
          }
        });
        EXPECT_FALSE(here.contains({1, 1}));
      });
    }
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
