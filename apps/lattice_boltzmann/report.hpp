// SPDX-License-Identifier: Apache-2.0
// What came out of a run, for readers and for programs.
#pragma once

#include "ghia.hpp"
#include "options.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace lattice_boltzmann {

struct report {
  int places = 1;
  int workers = 1;  ///< of the first place
  std::size_t steps = 0;
  double seconds = 0;                  ///< of them
  double update_seconds = 0;           ///< of those, in updates of ghosts, at the place where that is longest
  std::optional<bool> is_steady;       ///< where that was asked for
  double change = 0;                   ///< since the last look, in speeds of the lid
  double mass_error = 0;               ///< by the mass
  std::optional<deviation> from_ghia;  ///< where that was asked for
  std::optional<bool> is_verified;     ///< where that was asked for
  double serial_seconds = 0;           ///< what the serial kernel has taken for the same steps then

  [[nodiscard]] bool is_right(const options& o) const;
};

void print(const options& o, const report& r);

/// In place of what the file has held, once it is whole. std::runtime_error names the file.
void write_json(const options& o, const report& r, const std::string& file);

}  // namespace lattice_boltzmann
