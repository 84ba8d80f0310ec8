// SPDX-License-Identifier: Apache-2.0
// A picture of a flow.
#pragma once

#include "cavity.hpp"

#include <string>

namespace lattice_boltzmann {

/// Writes a PNG: the colour is the speed, dark where the fluid is at rest and bright where it moves as the lid does; the lines are those
/// along which it flows. std::runtime_error names the file.
/// \param flow as cavity::flow() has it
void draw(const ts::array<motion, 2>& flow, double lid, const std::string& file);

}  // namespace lattice_boltzmann
