// SPDX-License-Identifier: Apache-2.0
// The lid-driven cavity on a distributed array. Source: ghost-regions.txt, section IV-C and figure 6.
#pragma once

#include "d2q9.hpp"

#include <tactus/array/dist_array.hpp>
#include <tactus/place/place_local.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace lattice_boltzmann {

namespace ts = tactus;

/// How the fluid of a cell moves, and how much of it there is.
struct motion {
  double density = 0, u = 0, v = 0;
  double change = 0;  ///< of u or v since the last look, the larger one
};

/// What a look at all cells tells.
struct sight {
  double mass = 0;    ///< of all cells together
  double change = 0;  ///< of a velocity since the last look, the largest one
};

/// n x n cells of a fluid whose lid, at the upper end of y, moves along x. Made, and called, by one task.
class cavity {
public:
  /// The fluid is at rest; or, with a file that save() has written, on any distribution, it moves as it did. Errors: those of dist_array::load.
  cavity(const ts::dist<2>& d, double lid, relaxation how, const std::string& file = {});
  cavity(const cavity&) = delete;
  cavity& operator=(const cavity&) = delete;
  ~cavity();

  /// Errors: those of dist_array::save.
  void save(const std::string& file) const;

  /// So many steps, at all places.
  void advance(std::size_t steps);

  /// The largest speed of a cell, in cells a step; infinity where one is no number. What is above 1 is no flow: no population is so fast.
  [[nodiscard]] double fastest() const;

  [[nodiscard]] sight look();

  /// All cells, as the last look has seen them. After one.
  [[nodiscard]] ts::array<motion, 2> flow() const;

  /// How long steps have been in updates of ghosts by now, at the place where that is longest: what computing in between does not hide.
  [[nodiscard]] double update_seconds() const;

  /// The populations, at x, number and y.
  [[nodiscard]] ts::array<double, 3> populations() const;

  /// The same, for tasks at the places, until the next step.
  [[nodiscard]] ts::dist_array_ref<double, 3> cells_now() const;

private:
  void see(ts::dist_array<motion, 2>& all) const;

  double lid_;
  relaxation how_;
  ts::dist<2> d_;
  ts::dist_array<double, 3> now_, next_;           // after a step they change places
  std::optional<ts::dist_array<motion, 2>> seen_;  // since the first look
  ts::place_local<double> update_seconds_{0.0};
};

}  // namespace lattice_boltzmann
