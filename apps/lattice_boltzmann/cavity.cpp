// SPDX-License-Identifier: Apache-2.0
#include "cavity.hpp"

#include <tactus/place/at_each.hpp>
#include <tactus/place/at_future.hpp>
#include <tactus/task/loops.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace lattice_boltzmann {
namespace {

using cells_ref = ts::dist_array_ref<double, 3>;
using block = ts::view<double, 3>;
using steady_clock = std::chrono::steady_clock;

// Nine rows of a column lie one behind the other: a place goes through the memory of a block once, from the lower end to the upper one.
// Nine arrays, each with ghosts at one side only, are exchanged with a third of the bytes, and take half as long again for a step.
ts::dist<3> rows_of(const ts::dist<2>& d, ts::index_t rows) {
  std::vector<std::pair<ts::region<3>, ts::place>> parts;
  for (const ts::place p : d.group()) {
    for (const ts::box<2>& b : d.blocks(p)) {
      parts.emplace_back(ts::box<3>{{b.lo[0], 0, b.lo[1]}, {b.hi[0], rows, b.hi[1]}}, p);
    }
  }
  return ts::dist<3>::from(parts, d.group());
}

// Outer cells are the walls'. Two of them never share one: each is for one population of one cell.
ts::array_options<3> of_populations() { return {.ghost = {1, 0, 1}, .outer = {true, false, true}, .name = "cavity"}; }

// The cells of a block into which a population comes out of a wall.
struct wall {
  block of;
  std::size_t q;
  ts::region<3> cells;
};

std::vector<wall> walls_of(const std::vector<block>& blocks, const ts::box<3>& domain) {
  std::vector<wall> all;
  for (const block& u : blocks) {
    for (std::size_t q = 1; q < k_populations; ++q) {
      const ts::point<3> c(k_cx[q], 0, k_cy[q]);
      const ts::box<3> layer = u.resident().face(1, 0);
      if (ts::region<3> cells = layer - ts::region<3>(domain + c); !cells.empty()) {
        all.push_back({u, q, std::move(cells)});
      }
    }
  }
  return all;
}

// What comes out of a wall is what has gone into it, from the same cell. The lid pushes, but for what comes from its corners.
void send_back(const wall& w, ts::index_t n, double lid) {
  const ts::index_t cx = k_cx[w.q], cy = k_cy[w.q];
  w.cells.each([&](ts::index_t x, ts::index_t, ts::index_t y) {
    const bool is_lid = y - cy == n && x - cx >= 0 && x - cx < n;
    w.of(x - cx, w.q, y - cy) = w.of(x, k_opposite[w.q], y) + (is_lid ? push(w.q, lid) : 0.0);
  });
}

void relax(const block& u, const block& v, const ts::box<3>& cells, relaxation how) {
  ts::for_each(cells.lo[0], cells.hi[0], [&](ts::index_t x) {
    std::array<const double*, 9> from{};
    std::array<double*, 9> to{};
    for (std::size_t q = 0; q < k_populations; ++q) {
      from[q] = &u(x - k_cx[q], q, cells.lo[2] - k_cy[q]);
      to[q] = &v(x, q, cells.lo[2]);
    }
    relax_row(from, to, cells.extent(2), how);
  });
}

struct moments {
  double density = 0, east = 0, north = 0;
};

moments moments_of(const block& u, ts::index_t x, ts::index_t y) {
  moments all;
  for (std::size_t q = 0; q < k_populations; ++q) {
    all.density += u(x, q, y);
    all.east += k_cx[q] * u(x, q, y);
    all.north += k_cy[q] * u(x, q, y);
  }
  return all;
}

}  // namespace

cavity::cavity(const ts::dist<2>& d, double lid, relaxation how, cells begin)
    : lid_(lid), how_(how), d_(d), f_{std::move(begin), cells(rows_of(d, k_populations), of_populations())} {}

cavity::cavity(const ts::dist<2>& d, double lid, relaxation how)
    : cavity(d, lid, how, cells(rows_of(d, k_populations), of_populations())) {
  f_[0].for_each([](ts::point<3> p, double& f) { f = k_weight[static_cast<std::size_t>(p[1])]; });
}

cavity::cavity(const ts::dist<2>& d, double lid, relaxation how, const std::string& file)
    : cavity(d, lid, how, cells::load(file, rows_of(d, k_populations), of_populations())) {}

void cavity::advance(std::size_t steps) {
  const auto body = [steps, lid = lid_, how = how_, f = std::array<cells_ref, 2>{f_[now_].ref(), f_[1 - now_].ref()},
                     spent = updates_.ref()] {
    const std::array<std::vector<block>, 2> blocks{f[0].blocks(), f[1].blocks()};
    const ts::box<3> domain = f[0].dist().region().bounding_box();
    const std::array<std::vector<wall>, 2> walls{walls_of(blocks[0], domain), walls_of(blocks[1], domain)};
    double& seconds = *spent;
    for (std::size_t s = 0; s < steps; ++s) {
      const std::size_t from = s % 2, to = 1 - from;
      const auto sends = steady_clock::now();
      f[from].send_ghosts();
      const auto has_sent = steady_clock::now();
      for (const wall& w : walls[from]) send_back(w, domain.hi[0], lid);
      for (std::size_t i = 0; i < blocks[from].size(); ++i) {
        relax(blocks[from][i], blocks[to][i], blocks[from][i].interior(), how);
      }
      const auto waits = steady_clock::now();
      f[from].wait_for_ghosts();
      seconds += std::chrono::duration<double>((has_sent - sends) + (steady_clock::now() - waits)).count();
      for (std::size_t i = 0; i < blocks[from].size(); ++i) {
        for (const ts::box<3>& side : blocks[from][i].boundary()) relax(blocks[from][i], blocks[to][i], side, how);
      }
    }
  };
  ts::at_each(f_[0].dist().group(), body);
  now_ = (now_ + steps) % 2;
}

double cavity::update_seconds() const {
  const auto of_one = [spent = updates_.ref()] { return *spent; };
  std::vector<ts::future<double>> parts;
  for (const ts::place p : f_[0].dist().group()) parts.push_back(ts::at_future(p, of_one));
  double longest = 0;
  for (const auto& part : parts) longest = std::max(longest, part.get());
  return longest;
}

double cavity::fastest() const {
  const auto body = [f = f_[now_].ref()] {
    double all = 0;
    for (const block& u : f.blocks()) {
      u.resident().face(1, 0).each([&](ts::index_t x, ts::index_t, ts::index_t y) {
        const auto [density, east, north] = moments_of(u, x, y);
        const double speed = std::hypot(east / density, north / density);
        all = std::isfinite(speed) ? std::max(all, speed) : std::numeric_limits<double>::infinity();
      });
    }
    return all;
  };
  std::vector<ts::future<double>> parts;
  for (const ts::place p : f_[0].dist().group()) parts.push_back(ts::at_future(p, body));
  double all = 0;
  for (const auto& part : parts) all = std::max(all, part.get());
  return all;
}

sight cavity::look() {
  if (!flow_) flow_.emplace(rows_of(d_, k_flow_rows), ts::array_options<3>{.name = "flow"});
  const auto body = [f = f_[now_].ref(), flow = flow_->ref()] {
    sight all;
    const auto fields = flow.blocks();
    for (const block& u : f.blocks()) {
      const block& field = fields[u.number()];
      field.resident().face(1, 0).each([&](ts::index_t x, ts::index_t, ts::index_t y) {
        const auto [density, east, north] = moments_of(u, x, y);
        all.mass += density;
        field(x, k_density, y) = density;
        const double u_before = std::exchange(field(x, k_u, y), east / density);
        const double v_before = std::exchange(field(x, k_v, y), north / density);
        all.change =
            std::max({all.change, std::abs(field(x, k_u, y) - u_before), std::abs(field(x, k_v, y) - v_before)});
      });
    }
    return all;
  };
  std::vector<ts::future<sight>> parts;
  for (const ts::place p : f_[0].dist().group()) parts.push_back(ts::at_future(p, body));
  sight all;
  for (const auto& part : parts) {
    const sight of_one = part.get();
    all = {.mass = all.mass + of_one.mass, .change = std::max(all.change, of_one.change)};
  }
  return all;
}

ts::array<double, 3> cavity::populations() const { return f_[now_].get(f_[now_].region().bounding_box()); }

}  // namespace lattice_boltzmann
