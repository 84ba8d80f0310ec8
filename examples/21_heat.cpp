// SPDX-License-Identifier: Apache-2.0
// Heat in a plate over several places: each place has tiles, and a tile waits for the ghosts beside itself only.
#include <tactus/tactus.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

constexpr double k_small = 0.01;

//! [tiles]
// A box in pieces of 4 by 4 cells at most.
std::vector<ts::box<2>> tiles_of(const ts::box<2>& all) {
  std::vector<ts::box<2>> tiles;
  for (ts::index_t i = all.lo[0]; i < all.hi[0]; i += 4) {
    for (ts::index_t j = all.lo[1]; j < all.hi[1]; j += 4) {
      tiles.push_back(all & ts::range(i, i + 4) * ts::range(j, j + 4));
    }
  }
  return tiles;
}
//! [tiles]

//! [relax]
// Makes each cell of v the mean of its neighbours in u; returns the largest change.
double relax(const ts::view<double, 2>& u, const ts::view<double, 2>& v, const ts::box<2>& cells) {
  double largest = 0;
  cells.each([&](auto i, auto j) {
    v(i, j) = (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) / 4;
    largest = std::fmax(largest, std::fabs(v(i, j) - u(i, j)));
  });
  return largest;
}
//! [relax]

// Returns how many steps it took. All places take as many.
int settle(ts::dist_array_ref<double, 2> from, ts::dist_array_ref<double, 2> to) {
  const auto tiles = tiles_of(from.local().resident());
  const auto larger = [](double a, double b) { return std::fmax(a, b); };
  ts::team all = ts::team::world();
  double change = 0;
  int steps = 0;
  do {
    const auto u = from.local();
    const auto v = to.local();
    //! [tile]
    from.send_ghosts();
    change = ts::reduce(std::size_t{0}, tiles.size(), 1, larger, [&](std::size_t n) {
      from.wait_for_ghosts(tiles[n].halo(1));  // a tile in the middle does not wait
      return relax(u, v, tiles[n]);
    });
    from.wait_for_ghosts();  // all are here by now: ends the exchange
    //! [tile]
    std::swap(from, to);  // of this place only
    ++steps;
  } while (all.allreduce(change, ts::op::max) > k_small);
  return steps;
}

}  // namespace

int main() {
  return ts::run(ts::config{.places = 4}, [] {
    //! [made]
    const auto plate = ts::range(0, 15) * ts::range(0, 15);
    const auto spread = ts::dist<2>::block(plate, ts::all_axes);
    ts::dist_array<double, 2> a(spread, {.ghost = 1, .outer = true, .corners = false, .name = "heat"});
    ts::dist_array<double, 2> b(spread, a.options());
    a.fill(0);
    b.fill(0);
    //! [made]
    //! [outer]
    ts::at_each(spread.group(), [a = a.ref(), b = b.ref()] {
      const auto u = a.local();
      const auto v = b.local();
      u.stored().each([&](auto i, auto j) {
        if (i < 0) u(i, j) = v(i, j) = 100;  // beyond the lower edge: the program's own, which stay as they are
      });
    });
    //! [outer]
    int steps = 0;
    const ts::global_ref<int> taken(steps);
    ts::at_each(spread.group(), [a = a.ref(), b = b.ref(), taken] {
      const int n = settle(a, b);
      if (ts::here() == taken.home()) *taken = n;
    });
    const auto& last = steps % 2 == 0 ? a : b;
    std::printf("%d steps, %.3f in the middle, %.3f beside the warm edge\n", steps, last.get({7, 7}), last.get({0, 7}));
    return 0;
  });
}

// Prints: 226 steps, 24.498 in the middle, 87.310 beside the warm edge
