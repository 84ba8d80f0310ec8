// SPDX-License-Identifier: Apache-2.0
// The lattice D2Q9: each cell has nine populations, and in a step each of them goes on to a cell beside it. Needs nothing of Tactus.
#pragma once

#include <array>
#include <cstddef>

namespace lattice_boltzmann {

/// Populations by where they go: nowhere, east (x grows), north (y grows), north-east, north-west; then the opposite ones, backwards.
inline constexpr std::size_t k_populations = 9;
inline constexpr std::array<int, 9> k_cx = {0, 1, 0, 1, -1, 1, -1, 0, -1};
inline constexpr std::array<int, 9> k_cy = {0, 0, 1, 1, 1, -1, -1, -1, 0};
inline constexpr std::array<std::size_t, 9> k_opposite = {0, 8, 7, 6, 5, 4, 3, 2, 1};
inline constexpr std::array<double, 9> k_weight = {4. / 9,  1. / 9,  1. / 9, 1. / 36, 1. / 36,
                                                   1. / 36, 1. / 36, 1. / 9, 1. / 9};

/// How fast populations come to equilibrium: the sums of opposite ones, and their differences.
struct relaxation {
  double even = 1;
  double odd = 1;
};

/// Of Bhatnagar, Gross and Krook: one rate.
[[nodiscard]] inline relaxation bgk(double viscosity) {
  return {.even = 1 / (3 * viscosity + 0.5), .odd = 1 / (3 * viscosity + 0.5)};
}

/// Two rates whose magic parameter is 3/16: walls stand half-way between cells, whatever the viscosity is.
[[nodiscard]] inline relaxation trt(double viscosity) {
  return {.even = 1 / (3 * viscosity + 0.5), .odd = 1 / (1 / (16 * viscosity) + 0.5)};
}

/// What a population that comes back from (x, y), beyond the walls of n x n cells, gains there: the lid, but for its corners, moves along x.
[[nodiscard]] inline double push(std::size_t q, std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t n, double lid) {
  return y == n && x >= 0 && x < n ? 6 * k_weight[q] * k_cx[q] * lid : 0.0;
}

/// A step of the i-th cell of a row: from[q] are the populations that arrive, to[q] those after the collision.
[[gnu::always_inline]] inline void relax_cell(const std::array<const double*, 9>& from,
                                              const std::array<double*, 9>& to, std::ptrdiff_t i,
                                              const relaxation rate) {
  const std::array<double, 9> f = {from[0][i], from[1][i], from[2][i], from[3][i], from[4][i],
                                   from[5][i], from[6][i], from[7][i], from[8][i]};
  const auto sum = [&f](std::size_t q) { return f[q] + f[k_opposite[q]]; };
  const auto difference = [&f](std::size_t q) { return f[q] - f[k_opposite[q]]; };
  const double density = f[0] + (sum(1) + sum(2)) + (sum(3) + sum(4));
  const double u = (difference(1) + (difference(3) - difference(4))) / density;
  const double v = (difference(2) + (difference(3) + difference(4))) / density;
  const double base = 1 - 1.5 * (u * u + v * v);
  to[0][i] = f[0] - rate.even * (f[0] - k_weight[0] * density * base);
  // A population and its opposite. Along the direction of the first one the fluid has the speed c.
  const auto relax = [&](std::size_t q, double c) {
    const double w = k_weight[q] * density;
    const double even = rate.even * (0.5 * sum(q) - w * (base + 4.5 * c * c));
    const double odd = rate.odd * (0.5 * difference(q) - w * 3 * c);
    to[q][i] = f[q] - (even + odd);
    to[k_opposite[q]][i] = f[k_opposite[q]] - (even - odd);
  };
  relax(1, u);
  relax(2, v);
  relax(3, u + v);
  relax(4, v - u);
}

/// Of n cells. No row of the ones lies in one of the others: so several cells go at once, and have the bits that they would have one by one.
inline void relax_row(const std::array<const double*, 9>& from, const std::array<double*, 9>& to, std::ptrdiff_t n,
                      const relaxation rate) {
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < n; ++i) relax_cell(from, to, i, rate);
}

}  // namespace lattice_boltzmann
