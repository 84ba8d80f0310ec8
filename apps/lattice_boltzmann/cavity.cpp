// SPDX-License-Identifier: Apache-2.0
// Where the cells of a cavity lie, and what one sees of them.
#include "cavity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace lattice_boltzmann {
namespace {

// Nine rows of a column lie one behind the other: a place goes through the memory of a block once, from the lower end to the upper one.
// Nine arrays, each with ghosts at one side only, are exchanged with a third of the bytes, and take half as long again for a step.
// Outer cells are the walls'. Two of them never share one: each is for one population of one cell.
ts::dist_array<double, 3> populations_on(const ts::dist<2>& d, const std::string& file) {
  std::vector<std::pair<ts::region<3>, ts::place>> rows;
  for (const ts::place p : d.group()) {
    for (const ts::box<2>& b : d.blocks(p)) {
      rows.emplace_back(ts::box<3>{{b.lo[0], 0, b.lo[1]}, {b.hi[0], k_populations, b.hi[1]}}, p);
    }
  }
  const auto of_rows = ts::dist<3>::from(rows, d.group());
  const ts::array_options<3> how{.ghost = {1, 0, 1}, .outer = {true, false, true}, .name = "cavity"};
  return file.empty() ? ts::dist_array<double, 3>(of_rows, how) : ts::dist_array<double, 3>::load(file, of_rows, how);
}

}  // namespace

cavity::cavity(const ts::dist<2>& d, double lid, relaxation how, const std::string& file)
    : lid_(lid),
      how_(how),
      d_(d),
      now_(populations_on(d, file)),
      next_(now_.dist(), now_.options()),
      update_seconds_(ts::dist<1>::unique()) {
  if (!file.empty()) return;
  now_.for_each([](ts::point<3> p, double& f) { f = k_weight[static_cast<std::size_t>(p[1])]; });
}

ts::dist_array<motion, 2> cavity::motions() const {
  ts::dist_array<motion, 2> all(d_, {.name = "motions"});
  all.for_each([f = now_.ref()](ts::point<2> p, motion& m) {
    m.density = f(p[0], 0, p[1]);
    for (std::size_t q = 1; q < 5; ++q) {  // and its opposite: nothing is left of them where nothing moves
      const double along = f(p[0], q, p[1]), against = f(p[0], k_opposite[q], p[1]);
      m.density += along + against;
      m.u += k_cx[q] * (along - against);
      m.v += k_cy[q] * (along - against);
    }
    m.u /= m.density;
    m.v /= m.density;
  });
  return all;
}

double cavity::fastest() const {
  const auto speed = [](const motion& m) {
    const double both = std::hypot(m.u, m.v);
    return std::isfinite(both) ? both : std::numeric_limits<double>::infinity();
  };
  return motions().map(speed).reduce(ts::op::max);
}

sight cavity::look() {
  if (!seen_) seen_.emplace(d_, ts::array_options<2>{.name = "motions"});
  const auto before = std::exchange(*seen_, motions());
  const auto change = [](const motion& a, const motion& b) {
    return std::max(std::abs(a.u - b.u), std::abs(a.v - b.v));
  };
  ts::dist_array<double, 2> changes(d_, {.name = "changes"});
  changes.map_from(change, before, *seen_);
  const auto density = [](const motion& m) { return m.density; };
  return {.mass = seen_->map(density).reduce(ts::op::sum), .change = changes.reduce(ts::op::max)};
}

}  // namespace lattice_boltzmann
