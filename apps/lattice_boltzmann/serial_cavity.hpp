// SPDX-License-Identifier: Apache-2.0
// The lid-driven cavity in plain C++: one thread, one array. What the distributed one is compared with, by the bit and by the clock.
#pragma once

#include "d2q9.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace lattice_boltzmann {

/// n x n cells of a fluid at rest, whose lid, at the upper end of y, begins to move along x. Cells are stored with a layer of others around
/// them, in which walls put what they send back; each column as nine rows, one of each population. The populations before a step and after it
/// do not begin at the same byte of a page: else the loop would wait for its own stores, as processors look at the last bits of addresses first.
class serial_cavity {
public:
  serial_cavity(std::ptrdiff_t n, double lid, relaxation how)
      : n_(n), lid_(lid), how_(how), next_(first_of_next(n)), all_(next_ + k_populations * cells_stored(n)) {
    for (std::ptrdiff_t x = 0; x < n; ++x) {
      for (std::size_t q = 0; q < k_populations; ++q) {
        for (std::ptrdiff_t y = 0; y < n; ++y) {
          all_[now_ + index(x, q, y)] = k_weight[q];
        }
      }
    }
  }

  void step() {
    send_back();
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

  /// To begin with another flow.
  void set(std::ptrdiff_t x, std::size_t q, std::ptrdiff_t y, double value) { all_[now_ + index(x, q, y)] = value; }

  /// A population of a cell.
  [[nodiscard]] double operator()(std::ptrdiff_t x, std::size_t q, std::ptrdiff_t y) const {
    return all_[now_ + index(x, q, y)];
  }

private:
  static constexpr std::size_t k_page = 512;   // doubles
  static constexpr std::size_t k_apart = 136;  // a quarter of it, and a line of caches

  static std::size_t cells_stored(std::ptrdiff_t n) { return static_cast<std::size_t>((n + 2) * (n + 2)); }
  static std::size_t first_of_next(std::ptrdiff_t n) {
    const std::size_t cells = k_populations * cells_stored(n);
    return cells + (k_page + k_apart - cells % k_page) % k_page;
  }

  [[nodiscard]] std::size_t index(std::ptrdiff_t x, std::size_t q, std::ptrdiff_t y) const {
    return (static_cast<std::size_t>(x + 1) * k_populations + q) * static_cast<std::size_t>(n_ + 2) +
           static_cast<std::size_t>(y + 1);
  }

  // What would come out of a wall is what has gone into it, from the same cell. The lid pushes, but for what comes from its corners.
  void send_back() {
    for (std::size_t q = 1; q < k_populations; ++q) {
      const std::ptrdiff_t cx = k_cx[q], cy = k_cy[q];
      const double pushed = push(q, lid_);
      for (std::ptrdiff_t i = 0; i < n_; ++i) {
        if (cx != 0) {
          const std::ptrdiff_t x = cx > 0 ? 0 : n_ - 1;
          all_[now_ + index(x - cx, q, i - cy)] = all_[now_ + index(x, k_opposite[q], i)];
        }
        if (cy != 0) {
          const std::ptrdiff_t y = cy > 0 ? 0 : n_ - 1;
          const bool is_lid = cy < 0 && i - cx >= 0 && i - cx < n_;
          all_[now_ + index(i - cx, q, y - cy)] = all_[now_ + index(i, k_opposite[q], y)] + (is_lid ? pushed : 0.0);
        }
      }
    }
  }

  std::ptrdiff_t n_;
  double lid_;
  relaxation how_;
  std::size_t now_ = 0;  // where they begin
  std::size_t next_;
  std::vector<double> all_;
};

}  // namespace lattice_boltzmann
