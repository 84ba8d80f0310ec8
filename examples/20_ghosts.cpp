// SPDX-License-Identifier: Apache-2.0
// Distributed arrays: elements spread over places, with ghosts that neighbours exchange pairwise.
#include <tactus/tactus.hpp>

#include <cmath>
#include <cstdio>
#include <utility>

namespace ts = tactus;

namespace {

// A plate whose rows are periodic, warmed at one spot; each step a cell becomes the mean of its neighbours.
void heat() {
  const auto plate = ts::range(0, 24) * ts::range(0, 16);
  //! [options]
  const ts::array_options<2> how{
      .ghost = 1, .periodic = {true, false}, .outer = {false, true}, .corners = false, .name = "heat"};
  //! [options]
  //! [dist_array]
  ts::dist_array<double, 2> a(ts::dist<2>::block(plate, ts::all_axes), how);
  ts::dist_array<double, 2> b(a.dist(), how);
  a.for_each([](ts::point<2> p, double& x) { x = p == ts::point<2>(3, 4) ? 100.0 : 1.0; });
  b.fill(0);
  //! [dist_array]
  //! [ref]
  ts::at_each(a.dist().group(), [from = a.ref(), to = b.ref()]() mutable {
    for (int step = 0; step < 50; ++step) {
      const auto u = from.local();
      const auto v = to.local();
      const auto mean = [u, v](auto i, auto j) {
        v(i, j) = (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) / 4;
      };
      from.send_ghosts();       // what the neighbours need goes out
      u.interior().each(mean);  // meanwhile: cells that need no ghosts
      from.wait_for_ghosts();   // suspends this task, and no thread
      for (const auto& side : u.boundary()) {
        side.each(mean);
      }
      std::swap(from, to);  // of this place only
    }
  });
  //! [ref]
  const double sum = a.reduce(ts::op::sum);
  const auto [where, warmest] = a.max_at();
  std::printf("sum %.3f, warmest %.3f at %s\n", sum, warmest, to_string(where).c_str());
}

void neighbours() {
  ts::dist_array<int, 1> ring(ts::dist<1>::block(ts::range(0, 12)), {.ghost = 2, .periodic = true, .name = "ring"});
  ring.for_each([](ts::point<1> p, int& x) { x = static_cast<int>(p[0]); });
  //! [neighbours]
  const auto cells = ts::at(ts::place(1), [h = ring.ref()] {
    std::size_t n = 0;
    for (const ts::ghost_neighbour& q : h.neighbours()) {
      n += q.cells_in;
    }
    return n;
  });
  //! [neighbours]
  std::printf("place 1 gets %zu cells\n", cells);
  //! [any]
  ts::at_each(ring.dist().group(), [h = ring.ref()] {
    h.send_ghosts();
    int sum = 0;
    while (const auto came = h.wait_for_any_ghosts()) {  // each neighbour once, as they come
      for (const auto& b : came->boxes) {
        b.each([&](auto i) { sum += h(i); });
      }
    }
    h.local()(h.resident().bounding_box().lo) += 100 * sum;
  });
  //! [any]
  //! [sequence]
  for (const auto& [p, x] : ring.sequence()) {
    std::printf("%s%d", p[0] == 0 ? "" : " ", x);
  }
  //! [sequence]
  std::printf("\n");
  //! [accumulate]
  ring.fill(1);
  ring.accumulate_ghosts(ts::op::sum);  // each ghost goes to its owner
  //! [accumulate]
  std::printf("with what others had of it: %d\n", ring.reduce(ts::op::sum));
}

void several() {
  const auto plate = ts::range(0, 8) * ts::range(0, 8);
  ts::dist_array<double, 2> height(ts::dist<2>::block(plate), {.ghost = 1, .name = "height"});
  ts::dist_array<int, 2> kind(ts::dist<2>::block(plate), {.ghost = {1, 0}, .name = "kind"});
  height.for_each([](ts::point<2> p, double& x) { x = static_cast<double>(p[0]); });
  //! [group]
  ts::ghost_group both(height, kind);
  ts::at_each(ts::places(), [k = both.ref()] { k.update_ghosts(); });  // one message to each neighbour
  //! [group]
  //! [redistributed]
  auto columns = redistributed(height, ts::dist<2>::block(plate, ts::axes(1)));
  ts::copy(height, ts::range(0, 2) * ts::range(0, 8), columns, {6, 0});  // two rows, to the end
  //! [redistributed]
  //! [transfer]
  ts::transfer<double, 2> back(columns, height);
  ts::at_each(ts::places(), [t = back.ref()] { t(); });  // as often as one likes
  //! [transfer]
  std::printf("%g %g\n", height.get({5, 3}), height.get({7, 3}));
}

}  // namespace

int main() {
  return ts::run(ts::config{.places = 4}, [] {
    heat();
    neighbours();
    several();
    return 0;
  });
}

// Prints: sum 280.870, warmest 1.872 at (3,6)
// Prints: place 1 gets 4 cells
// Prints: 2800 1 2 1603 4 5 2806 7 8 1609 10 11
// Prints: with what others had of it: 28
// Prints: 5 1
