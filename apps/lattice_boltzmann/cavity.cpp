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
    : lid_(lid), how_(how), d_(d), now_(populations_on(d, file)), next_(now_.dist(), now_.options()) {
  if (!file.empty()) return;
  now_.for_each([](ts::point<3> p, double& f) { f = k_weight[static_cast<std::size_t>(p[1])]; });
}

cavity::~cavity() = default;

void cavity::save(const std::string& file) const { now_.save(file); }

ts::array<double, 3> cavity::populations() const { return now_.get(now_.region().bounding_box()); }

ts::dist_array_ref<double, 3> cavity::cells_now() const { return now_.ref(); }

double cavity::update_seconds() const {
  double longest = 0;
  for (const ts::place p : ts::places()) {
    longest = std::max(longest, update_seconds_.ref().at(p, [](double seconds) { return seconds; }));
  }
  return longest;
}

void cavity::see(ts::dist_array<motion, 2>& all) const {
  all.for_each([f = now_.ref()](ts::point<2> p, motion& last) {
    motion m{.density = f(p[0], 0, p[1])};
    for (std::size_t q = 1; q < 5; ++q) {  // and its opposite: nothing is left of them where nothing moves
      const double along = f(p[0], q, p[1]), against = f(p[0], k_opposite[q], p[1]);
      m.density += along + against;
      m.u += k_cx[q] * (along - against);
      m.v += k_cy[q] * (along - against);
    }
    m.u /= m.density;
    m.v /= m.density;
    m.change = std::max(std::abs(m.u - last.u), std::abs(m.v - last.v));
    last = m;
  });
}

double cavity::fastest() const {
  const auto speed = [](const motion& m) {
    const double both = std::hypot(m.u, m.v);
    return std::isfinite(both) ? both : std::numeric_limits<double>::infinity();
  };
  ts::dist_array<motion, 2> all(d_, {.name = "motions"});
  see(all);
  return speed(all.reduce([speed](const motion& a, const motion& b) { return speed(a) < speed(b) ? b : a; }, motion()));
}

sight cavity::look() {
  if (!seen_) seen_.emplace(d_, ts::array_options<2>{.name = "motions"});
  see(*seen_);
  const auto both = [](const motion& a, const motion& b) {
    return motion{.density = a.density + b.density, .change = std::max(a.change, b.change)};
  };
  const motion all = seen_->reduce(both, motion());
  return {.mass = all.density, .change = all.change};
}

ts::array<motion, 2> cavity::flow() const { return seen_->get(seen_->region().bounding_box()); }

}  // namespace lattice_boltzmann
