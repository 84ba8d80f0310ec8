// SPDX-License-Identifier: Apache-2.0
// The lattice D2Q9: each cell has nine populations, and in a step each of them goes on to a cell beside it. Needs nothing of Tactus.
#pragma once

#include <array>
#include <cstddef>

namespace lattice_boltzmann {

/// By where they go: nowhere, then east (x grows), north (y grows) and so on.
enum population : std::size_t { k_rest, k_e, k_n, k_w, k_s, k_ne, k_nw, k_sw, k_se };
inline constexpr std::size_t k_populations = 9;
inline constexpr std::array<int, 9> k_cx = {0, 1, 0, -1, 0, 1, -1, -1, 1};
inline constexpr std::array<int, 9> k_cy = {0, 0, 1, 0, -1, 1, 1, -1, -1};
inline constexpr std::array<std::size_t, 9> k_opposite = {k_rest, k_w, k_s, k_e, k_n, k_sw, k_se, k_ne, k_nw};
inline constexpr std::array<double, 9> k_weight = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                                                   1. / 36, 1. / 36, 1. / 36, 1. / 36};

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

/// What a wall that moves along x gives to a population that it sends back.
[[nodiscard]] inline double push(std::size_t q, double wall_speed) { return 6 * k_weight[q] * k_cx[q] * wall_speed; }

/// A step of n cells in a row: from[q] are the populations that arrive, to[q] are those after the collision. That nothing else lies where
/// it writes lets compilers take several cells at once; then the cells are the same, bit for bit, as one by one.
inline void relax_row(const std::array<const double*, 9>& from, double* __restrict to_rest, double* __restrict to_e,
                      double* __restrict to_n, double* __restrict to_w, double* __restrict to_s,
                      double* __restrict to_ne, double* __restrict to_nw, double* __restrict to_sw,
                      double* __restrict to_se, std::ptrdiff_t n, const relaxation rate) {
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const double rest = from[k_rest][i], east = from[k_e][i], north = from[k_n][i], west = from[k_w][i];
    const double south = from[k_s][i], ne = from[k_ne][i], nw = from[k_nw][i], sw = from[k_sw][i], se = from[k_se][i];
    const double density = rest + ((east + west) + (north + south)) + ((ne + sw) + (nw + se));
    const double u = ((east - west) + ((ne - sw) + (se - nw))) / density;
    const double v = ((north - south) + ((ne - sw) + (nw - se))) / density;
    const double base = 1 - 1.5 * (u * u + v * v);
    const double straight = density / 9, diagonal = density / 36;  // by weight
    // Of two opposite populations a and b, which go along and against a direction in which the fluid has the speed c.
    const auto even = [&](double a, double b, double w, double c) {
      return rate.even * (0.5 * (a + b) - w * (base + 4.5 * c * c));
    };
    const auto odd = [&](double a, double b, double w, double c) { return rate.odd * (0.5 * (a - b) - w * 3 * c); };
    to_rest[i] = rest - rate.even * (rest - 4 * straight * base);
    const double even_x = even(east, west, straight, u), odd_x = odd(east, west, straight, u);
    to_e[i] = east - (even_x + odd_x);
    to_w[i] = west - (even_x - odd_x);
    const double even_y = even(north, south, straight, v), odd_y = odd(north, south, straight, v);
    to_n[i] = north - (even_y + odd_y);
    to_s[i] = south - (even_y - odd_y);
    const double even_up = even(ne, sw, diagonal, u + v), odd_up = odd(ne, sw, diagonal, u + v);
    to_ne[i] = ne - (even_up + odd_up);
    to_sw[i] = sw - (even_up - odd_up);
    const double even_down = even(nw, se, diagonal, v - u), odd_down = odd(nw, se, diagonal, v - u);
    to_nw[i] = nw - (even_down + odd_down);
    to_se[i] = se - (even_down - odd_down);
  }
}

/// The same, with where to write by number.
inline void relax_row(const std::array<const double*, 9>& from, const std::array<double*, 9>& to, std::ptrdiff_t n,
                      const relaxation rate) {
  relax_row(from, to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7], to[8], n, rate);
}

}  // namespace lattice_boltzmann
