// SPDX-License-Identifier: Apache-2.0
#include "serial_cavity.hpp"

#include <array>
#include <utility>

namespace lattice_boltzmann {

void serial_cavity::step() {
  for (std::ptrdiff_t i = 0; i < n_; ++i) {
    send_back(0, i);
    send_back(n_ - 1, i);
    send_back(i, 0);
    send_back(i, n_ - 1);
  }
  for (std::ptrdiff_t x = 0; x < n_; ++x) {
    std::array<const double*, 9> from{};
    std::array<double*, 9> to{};
    for (std::size_t q = 0; q < k_populations; ++q) {
      from[q] = &all_[now_ + index(x - k_cx[q], q, -k_cy[q])];
      to[q] = &all_[next_ + index(x, q, 0)];
    }
    relax_row(from, to, n_, how_);
  }
  std::swap(now_, next_);
}

// What walls give to a cell beside them is what has gone into them, from the same cell.
void serial_cavity::send_back(std::ptrdiff_t x, std::ptrdiff_t y) {
  const auto is_outside = [this](std::ptrdiff_t i) { return i < 0 || i >= n_; };
  for (std::size_t q = 1; q < k_populations; ++q) {
    const std::ptrdiff_t from_x = x - k_cx[q], from_y = y - k_cy[q];
    if (is_outside(from_x) || is_outside(from_y)) {
      set(from_x, q, from_y, (*this)(x, k_opposite[q], y) + push(q, from_x, from_y, n_, lid_));
    }
  }
}

}  // namespace lattice_boltzmann
