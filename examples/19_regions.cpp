// SPDX-License-Identifier: Apache-2.0
// Points, boxes and regions; arrays over them; and which place has which points.
#include <tactus/tactus.hpp>

#include <cstdio>
#include <functional>
#include <string>

namespace ts = tactus;

namespace {

void sets() {
  //! [point]
  const ts::point p{2, 3};  // axis 0 is the slowest
  const ts::point q = p + ts::point<2>::unit(1);
  std::printf("%s and its neighbour %s\n", to_string(p).c_str(), to_string(q).c_str());
  //! [point]

  //! [box]
  const ts::box<2> plate = ts::range(0, 6) * ts::range(0, 8);  // half-open along each axis
  std::printf("%zu points, %zu inside of the border, %zu in the lowest row\n", plate.size(), plate.inner(1).size(),
              plate.face(0, 0).size());
  //! [box]

  //! [widths]
  const ts::widths<2> around{{1, 0}, {2, 2}};  // one below along axis 0; two on both sides of axis 1
  std::printf("%zu points with those around it\n", plate.halo(around).size());
  //! [widths]

  //! [region]
  const auto triangle = ts::region<2>::where(plate, [](auto i, auto j) { return j <= i; });
  const ts::region<2> rest = plate - triangle;  // any set of points is a region
  std::printf("%zu and %zu points; together a box: %s\n", triangle.size(), rest.size(),
              (triangle | rest).is_box() ? "yes" : "no");
  //! [region]

  //! [array]
  ts::array<double, 2> heat(plate.halo(1));  // with a layer around it
  heat(3, 4) = 100;
  //! [array]

  //! [view]
  const ts::view<double, 2> u = heat.all();  // take it out of loops
  ts::array<double, 2> next(plate);
  const ts::view<double, 2> v = next.all();
  plate.each([&](auto i, auto j) { v(i, j) = (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) / 4; });
  //! [view]

  //! [loops]
  ts::for_each(triangle, [v](auto i, auto j) { v(i, j) += 1; });  // in parallel
  const double sum = ts::reduce(plate, std::plus<>(), [v](const ts::point<2>& x) { return v[x]; });
  //! [loops]
  std::printf("sum: %g\n", sum);
}

void distributions() {
  const ts::box<2> plate = ts::range(0, 6) * ts::range(0, 8);
  //! [dist]
  const auto rows = ts::dist<2>::block(plate);                      // one part after another, along axis 0
  const auto chosen = ts::dist<2>::block(plate, ts::all_axes);      // along any; axes(0, 1) would say which
  const auto tiles = ts::dist<2>::block(plate, ts::grid<2>{2, 2});  // a grid of parts
  const auto by_work = ts::dist<2>::recursive_bisection(plate, [](ts::point<2> p) {  // where a row costs as its number
    return static_cast<double>(p[0]);
  });
  std::printf("as chosen, no place has more than %.2f times the mean\n", chosen.imbalance());
  std::printf("(5,7) is at %s, %s and %s\n", to_string(rows.owner({5, 7})).c_str(), to_string(tiles[{5, 7}]).c_str(),
              to_string(by_work[{5, 7}]).c_str());
  for (const ts::place p : tiles.group()) {
    for (const ts::box<2>& b : tiles.blocks(p)) {
      std::printf("%s: from %s to below %s\n", to_string(p).c_str(), to_string(b.lo).c_str(), to_string(b.hi).c_str());
    }
  }
  //! [dist]
}

}  // namespace

int main() {
  return ts::run(ts::config{.places = 4}, [] {
    sets();
    distributions();
    return 0;
  });
}

// Prints: (2,3) and its neighbour (2,4)
// Prints: 48 points, 24 inside of the border, 8 in the lowest row
// Prints: 84 points with those around it
// Prints: 21 and 27 points; together a box: yes
// Prints: sum: 121
// Prints: as chosen, no place has more than 1.33 times the mean
// Prints: (5,7) is at place 3, place 3 and place 3
// Prints: place 0: from (0,0) to below (3,4)
// Prints: place 1: from (0,4) to below (3,8)
// Prints: place 2: from (3,0) to below (6,4)
// Prints: place 3: from (3,4) to below (6,8)
