// SPDX-License-Identifier: Apache-2.0
// The lid-driven cavity on a distributed array. Source: ghost-regions.txt, section IV-C and figure 6.
#pragma once

#include "d2q9.hpp"

#include <tactus/array/dist_array.hpp>
#include <tactus/place/place_local.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace lattice_boltzmann {

namespace ts = tactus;

/// Rows of the field that a look makes.
inline constexpr ts::index_t k_density = 0, k_u = 1, k_v = 2, k_flow_rows = 3;

/// What a look at all cells tells.
struct sight {
  double mass = 0;    ///< of all cells together
  double change = 0;  ///< of a velocity since the last look, the largest one
};

/// n x n cells of a fluid at rest, whose lid, at the upper end of y, begins to move along x. Made, and called, by one task.
class cavity {
public:
  cavity(const ts::dist<2>& d, double lid, relaxation how);

  /// The flow of a file that save() has written, on any distribution. Errors: those of dist_array::load.
  cavity(const ts::dist<2>& d, double lid, relaxation how, const std::string& file);

  /// Errors: those of dist_array::save.
  void save(const std::string& file) const { f_[now_].save(file); }

  /// So many steps, at all places.
  void advance(std::size_t steps);

  /// The largest speed of a cell, in cells a step; infinity where one is no number. What is above 1 is no flow: no population is so fast.
  [[nodiscard]] double fastest() const;

  /// Computes density and velocities at all places.
  [[nodiscard]] sight look();

  /// The field of the last look, at x, row and y. After one.
  [[nodiscard]] ts::array<double, 3> flow() const { return flow_.value().get(flow_->region().bounding_box()); }

  /// How long steps have been in updates of ghosts by now, at the place where that is longest: what computing in between does not hide.
  [[nodiscard]] double update_seconds() const;

  /// The populations, at x, number and y.
  [[nodiscard]] ts::array<double, 3> populations() const;

  /// The same, for tasks at the places, until the next step.
  [[nodiscard]] ts::dist_array_ref<double, 3> cells_now() const { return f_[now_].ref(); }

private:
  using cells = ts::dist_array<double, 3>;

  cavity(const ts::dist<2>& d, double lid, relaxation how, cells begin);

  double lid_;
  relaxation how_;
  ts::dist<2> d_;
  std::array<cells, 2> f_;  // before and after a step, by turns
  std::size_t now_ = 0;
  std::optional<cells> flow_;             // since the first look
  ts::place_local<double> updates_{0.0};  // seconds in them
};

}  // namespace lattice_boltzmann
