// SPDX-License-Identifier: Apache-2.0
// The lid-driven cavity in plain C++: one thread, one array. What the distributed one is compared with, by the bit and by the clock.
#pragma once

#include "d2q9.hpp"

#include <cstddef>
#include <vector>

namespace lattice_boltzmann {

/// n x n cells of a fluid at rest, whose lid, at the upper end of y, begins to move along x. Cells are stored with a layer of others around
/// them, in which walls put what they send back; each column as nine rows, one of each population. The populations before a step and after it
/// do not begin at the same byte of a page: else the loop would wait for its own stores, as processors look at the last bits of addresses first.
class serial_cavity {
public:
  serial_cavity(std::ptrdiff_t n, double lid, relaxation how)
      : n_(n), lid_(lid), how_(how), next_((index(n, 8, n) / k_page + 1) * k_page + k_apart), all_(2 * next_) {
    for (std::ptrdiff_t x = 0; x < n; ++x) {
      for (std::size_t q = 0; q < k_populations; ++q) {
        for (std::ptrdiff_t y = 0; y < n; ++y) set(x, q, y, k_weight[q]);
      }
    }
  }

  void step();

  /// To begin with another flow.
  void set(std::ptrdiff_t x, std::size_t q, std::ptrdiff_t y, double value) { all_[now_ + index(x, q, y)] = value; }

  /// A population of a cell.
  [[nodiscard]] double operator()(std::ptrdiff_t x, std::size_t q, std::ptrdiff_t y) const {
    return all_[now_ + index(x, q, y)];
  }

private:
  static constexpr std::size_t k_page = 512;   // doubles
  static constexpr std::size_t k_apart = 136;  // a quarter of it, and a line of caches

  [[nodiscard]] std::size_t index(std::ptrdiff_t x, std::size_t q, std::ptrdiff_t y) const {
    return (static_cast<std::size_t>(x + 1) * k_populations + q) * static_cast<std::size_t>(n_ + 2) +
           static_cast<std::size_t>(y + 1);
  }

  void send_back(std::ptrdiff_t x, std::ptrdiff_t y);

  std::ptrdiff_t n_;
  double lid_;
  relaxation how_;
  std::size_t now_ = 0;  // where they begin
  std::size_t next_;
  std::vector<double> all_;
};

}  // namespace lattice_boltzmann
