// SPDX-License-Identifier: Apache-2.0
// Particles in cells: elements of any length, and ghosts that go to their owners.
#include <tactus/tactus.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

//! [element]
struct particle {
  double x, y;           // where in its cell, from 0 to below 1
  double along, across;  // how far in a step: less than a cell
  ts::point<2> home;     // the cell in which it began
};
using cell = std::vector<particle>;
//! [element]

//! [joined]
cell joined(cell a, const cell& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
//! [joined]

// Moves what is at this place. Who leaves its cell goes into the next one, which may be a ghost.
void move(const ts::dist_array_ref<cell, 2>& h) {
  //! [leave]
  const auto u = h.local();
  std::vector<std::pair<ts::point<2>, particle>> leave;
  u.resident().each([&](const ts::point<2>& p) {
    cell stay;
    for (particle& q : u[p]) {
      q.x += q.along;
      q.y += q.across;
      const ts::point<2> to = p + ts::point<2>(static_cast<int>(std::floor(q.x)), static_cast<int>(std::floor(q.y)));
      q.x -= std::floor(q.x);
      q.y -= std::floor(q.y);
      if (to == p) {
        stay.push_back(q);
      } else {
        leave.emplace_back(to, q);
      }
    }
    u[p] = std::move(stay);
  });
  for (const auto& [to, q] : leave) u[to].push_back(q);
  //! [leave]
  //! [accumulate]
  h.accumulate_ghosts(ts::monoid{cell(), joined});  // a ghost's particles go to its owner; it is empty then
  //! [accumulate]
}

}  // namespace

int main() {
  return ts::run(ts::config{.places = 4}, [] {
    //! [made]
    const auto room = ts::range(0, 8) * ts::range(0, 8);
    ts::dist_array<cell, 2> cells(ts::dist<2>::block(room, ts::all_axes),
                                  {.ghost = 1, .periodic = true, .name = "cells"});
    cells.for_each([](ts::point<2> p, cell& c) {
      for (int n = 0; n < 5; ++n) {
        c.push_back({0.5, 0.25, (n - 2) / 16.0, (static_cast<double>(p[0]) - 4) / 16, p});
      }
    });
    //! [made]
    const auto count = [](const cell& c) { return c.size(); };
    const auto at_home = [](ts::point<2> p, const cell& c) {
      return std::count_if(c.begin(), c.end(), [&p](const particle& q) { return q.home == p; });
    };
    for (const int steps : {40, 88}) {
      ts::at_each(ts::places(), [h = cells.ref(), steps] {
        for (int i = 0; i < steps; ++i) move(h);
      });
      std::printf("%zu particles, %td at home\n", cells.map(count).reduce(ts::op::sum),
                  cells.map(at_home).reduce(ts::op::sum));
    }
    return 0;
  });
}

// Prints: 320 particles, 16 at home
// Prints: 320 particles, 320 at home
