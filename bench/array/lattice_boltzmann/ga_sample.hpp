// SPDX-License-Identifier: Apache-2.0
// Cells as the sample of Global Arrays has them, with which the paper compares: 27 numbers each, the populations, a copy of them from
// before the step, and their equilibrium. Colliding is by the book: moments, equilibrium, one relaxation time.
#pragma once

#include <array>
#include <cstddef>

#include "array/lattice_boltzmann/lattice_boltzmann.hpp"
#include "d2q9.hpp"

namespace bench {

struct sample_cells {
  using index = std::ptrdiff_t;
  static constexpr int k_numbers = 27;
  enum part : std::size_t { k_now = 0, k_before = 9, k_equilibrium = 18 };

  double* first = nullptr;  // of the rank's first cell
  index step_x = 0;
  flow_setting::range x, y;

  [[nodiscard]] double* at(index i, index j) const { return first + (i - x.lo) * step_x + (j - y.lo) * k_numbers; }

  template <class F>
  void each(const F& f) const {
    for (index i = x.lo; i < x.hi; ++i) {
      for (index j = y.lo; j < y.hi; ++j) f(i, j, at(i, j));
    }
  }

  void rest() const {
    each([](index, index, double* cell) {
      for (std::size_t q = 0; q < 9; ++q) cell[k_now + q] = lattice_boltzmann::k_weight[q];
    });
  }

  [[nodiscard]] flow_digest digest() const {
    flow_digest d;
    each([&d](index i, index j, const double* cell) {
      for (std::size_t q = 0; q < 9; ++q) d.add(i, q, j, cell[k_now + q]);
    });
    return d;
  }

  /// The first half of a step, before ghosts are updated.
  void keep() const {
    each([](index, index, double* cell) {
      for (std::size_t q = 0; q < 9; ++q) cell[k_before + q] = cell[k_now + q];
    });
  }

  /// The second one. `n`: cells along the whole cavity.
  void collide(index n, double lid, double rate) const {
    each([&](index i, index j, double* cell) {
      std::array<double, 9> f{};
      arrive(f, i, j, n, lid);
      double density = 0;
      double u = 0;
      double v = 0;
      for (std::size_t q = 0; q < 9; ++q) {
        density += f[q];
        u += f[q] * lattice_boltzmann::k_cx[q];
        v += f[q] * lattice_boltzmann::k_cy[q];
      }
      u /= density;
      v /= density;
      for (std::size_t q = 0; q < 9; ++q) {
        const double along = 3 * (lattice_boltzmann::k_cx[q] * u + lattice_boltzmann::k_cy[q] * v);
        cell[k_equilibrium + q] =
            lattice_boltzmann::k_weight[q] * density * (1 + along + 0.5 * along * along - 1.5 * (u * u + v * v));
        cell[k_now + q] = f[q] - rate * (f[q] - cell[k_equilibrium + q]);
      }
    });
  }

private:
  void arrive(std::array<double, 9>& f, index i, index j, index n, double lid) const {
    using namespace lattice_boltzmann;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1) {
      for (std::size_t q = 0; q < 9; ++q) f[q] = at(i - k_cx[q], j - k_cy[q])[k_before + q];
      return;
    }
    for (std::size_t q = 0; q < 9; ++q) {
      const index from_x = i - k_cx[q];
      const index from_y = j - k_cy[q];
      const bool is_beside = from_x < 0 || from_x >= n;
      if (!is_beside && from_y >= 0 && from_y < n) {
        f[q] = at(from_x, from_y)[k_before + q];
      } else {
        f[q] = at(i, j)[k_before + k_opposite[q]] + push(q, from_x, from_y, n, lid);
      }
    }
  }
};

}  // namespace bench
