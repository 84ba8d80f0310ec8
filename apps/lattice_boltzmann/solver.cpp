// SPDX-License-Identifier: Apache-2.0
// The solver: what a step is. ghost-regions.txt, sections III-C and IV-C.
#include "cavity.hpp"
#include "seconds.hpp"

#include <tactus/task/loops.hpp>

#include <utility>
#include <vector>

namespace lattice_boltzmann {
namespace {

using block = ts::view<double, 3>;

// From where, beyond the walls, populations come into a block.
ts::region<3> walls_of(const block& u, const ts::box<3>& cells) {
  ts::region<3> walls;
  for (std::size_t q = 1; q < k_populations; ++q) {
    const ts::region<3> upstream(u.resident().face(1, 0) + ts::point<3>(-k_cx[q], q, -k_cy[q]));
    walls = walls | (upstream - ts::region<3>(cells));
  }
  return walls;
}

// What comes out of a wall is what has gone into it, from the same cell.
void send_back(const block& u, const ts::region<3>& walls, ts::index_t n, double lid) {
  walls.each([&](ts::index_t x, ts::index_t number, ts::index_t y) {
    const auto q = static_cast<std::size_t>(number);
    u(x, q, y) = u(x + k_cx[q], k_opposite[q], y + k_cy[q]) + push(q, x, y, n, lid);
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

}  // namespace

void cavity::advance(std::size_t steps) {
  ts::at_each(now_.dist().group(), [steps, lid = lid_, how = how_, from = now_.ref(), to = next_.ref(),
                                    seconds = update_seconds_.ref()]() mutable {
    const ts::box<3> cells = from.dist().region().bounding_box();
    std::vector<block> us = from.blocks(), vs = to.blocks();
    std::vector<ts::region<3>> walls;
    for (const block& u : us) walls.push_back(walls_of(u, cells));
    double& waited = *seconds;
    for (std::size_t s = 0; s < steps; ++s) {
      waited += apps::seconds_of([&] { from.send_ghosts(); });
      for (std::size_t i = 0; i < us.size(); ++i) {
        send_back(us[i], walls[i], cells.hi[0], lid);
        relax(us[i], vs[i], us[i].interior(), how);
      }
      waited += apps::seconds_of([&] { from.wait_for_ghosts(); });
      for (std::size_t i = 0; i < us.size(); ++i) {
        for (const ts::box<3>& side : us[i].boundary()) relax(us[i], vs[i], side, how);
      }
      std::swap(from, to);
      std::swap(us, vs);
    }
  });
  if (steps % 2 == 1) std::swap(now_, next_);
}

}  // namespace lattice_boltzmann
