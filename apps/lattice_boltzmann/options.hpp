// SPDX-License-Identifier: Apache-2.0
// The command line of lattice_boltzmann.
#pragma once

#include "progress.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace lattice_boltzmann {

struct options {
  long size = 128;        ///< cells along each side
  double reynolds = 100;  ///< lid speed * size / viscosity
  double lid = 0.1;       ///< its speed, in cells a step
  std::string collision = "bgk";
  std::string distribution = "block";
  std::vector<long> grid;      ///< parts along x and y, for the distribution of that name
  long tile = 16;              ///< side of what curves and block_cyclic deal out
  std::size_t steps = 0;       ///< 0: until the flow is steady
  double steady = 1e-6;        ///< change of a velocity in 1000 steps, by the lid's, that counts as none
  bool verify = false;         ///< compare with the serial kernel, bit by bit
  bool ghia = false;           ///< compare with the table of Ghia, Ghia and Shin
  double tolerance = 0.01;     ///< of that comparison, by the lid's speed
  std::string picture_file;    ///< empty: none
  std::string restart_file;    ///< of a flow to begin with; empty: the fluid is at rest
  std::string save_file;       ///< empty: none
  std::size_t save_every = 0;  ///< steps; 0: when all are done
  std::string json_file;       ///< empty: none
  apps::progress_style progress = apps::progress_style::silent;

  [[nodiscard]] double viscosity() const { return lid * static_cast<double>(size) / reynolds; }
};

/// What was asked for, or the exit status of a command line that asks for nothing or is wrong.
std::variant<options, int> parse_options(int argc, char** argv);

}  // namespace lattice_boltzmann
