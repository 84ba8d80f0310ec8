// SPDX-License-Identifier: Apache-2.0
// A rank's part of the cavity, as rivals have it: cells in memory of theirs, with a layer of others around them.
#pragma once

#include <array>
#include <cstddef>

#include "array/lattice_boltzmann/lattice_boltzmann.hpp"
#include "d2q9.hpp"

namespace bench {

/// Cells x, y of the whole cavity, population q, wherever they lie. Neighbours along y lie one behind the other.
struct flow_block {
  using index = std::ptrdiff_t;

  double* first = nullptr;  // of the rank's first cell
  index step_x = 0;
  index step_q = 0;
  flow_setting::range x, y;

  [[nodiscard]] double* at(index i, std::size_t q, index j) const {
    return first + (i - x.lo) * step_x + static_cast<index>(q) * step_q + (j - y.lo);
  }

  template <class F>
  void each(const F& f) const {
    for (index i = x.lo; i < x.hi; ++i) {
      for (std::size_t q = 0; q < lattice_boltzmann::k_populations; ++q) {
        for (index j = y.lo; j < y.hi; ++j) f(i, q, j, *at(i, q, j));
      }
    }
  }

  void rest() const {
    each([](index, std::size_t q, index, double& f) { f = lattice_boltzmann::k_weight[q]; });
  }

  [[nodiscard]] flow_digest digest() const {
    flow_digest d;
    each([&d](index i, std::size_t q, index j, double f) { d.add(i, q, j, f); });
    return d;
  }

  /// What walls give back to cells beside them: what has gone into them. The lid pushes, but for what comes from its corners.
  void send_back(index n, double lid) const {
    using namespace lattice_boltzmann;
    for (std::size_t q = 1; q < k_populations; ++q) {
      const index cx = k_cx[q], cy = k_cy[q];
      const index wall_x = cx > 0 ? 0 : n - 1, wall_y = cy > 0 ? 0 : n - 1;
      if (cx != 0 && x.lo <= wall_x && wall_x < x.hi) {
        for (index j = y.lo; j < y.hi; ++j) *at(wall_x - cx, q, j - cy) = *at(wall_x, k_opposite[q], j);
      }
      if (cy != 0 && y.lo <= wall_y && wall_y < y.hi) {
        for (index i = x.lo; i < x.hi; ++i) {
          *at(i - cx, q, wall_y - cy) = *at(i, k_opposite[q], wall_y) + push(q, i - cx, wall_y - cy, n, lid);
        }
      }
    }
  }

  /// A step of all cells, from these to those of `next`.
  void relax(const flow_block& next, lattice_boltzmann::relaxation how) const {
    using namespace lattice_boltzmann;
    for (index i = x.lo; i < x.hi; ++i) {
      std::array<const double*, 9> from{};
      std::array<double*, 9> to{};
      for (std::size_t q = 0; q < k_populations; ++q) {
        from[q] = at(i - k_cx[q], q, y.lo - k_cy[q]);
        to[q] = next.at(i, q, y.lo);
      }
      relax_row(from, to, y.hi - y.lo, how);
    }
  }
};

/// Steps by two blocks and an update of the ghosts of either, one as the other. Returns the seconds in updates.
template <class Update>
double flow_steps(const flow_setting& s, std::uint64_t steps, std::array<flow_block, 2>& blocks, const Update& update) {
  double seconds = 0;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const stopwatch watch;
    update(blocks[0]);
    seconds += watch.elapsed().seconds;
    blocks[0].send_back(s.size, s.lid());
    blocks[0].relax(blocks[1], s.how());
    std::swap(blocks[0], blocks[1]);
  }
  return seconds;
}

}  // namespace bench
