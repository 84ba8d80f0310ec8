// SPDX-License-Identifier: Apache-2.0
// What the flow in a cavity is: U. Ghia, K. N. Ghia and C. T. Shin, "High-Re solutions for incompressible flow using the Navier-Stokes
// equations and a multigrid method", Journal of Computational Physics 48 (1982), tables I and II.
#pragma once

#include "cavity.hpp"

namespace lattice_boltzmann {

/// Whether the table has this Reynolds number.
bool has_ghia(double reynolds);

/// By how much a flow is off at most, in speeds of the lid: u along the vertical centre line, v along the horizontal one.
struct deviation {
  double u = 0;
  double v = 0;
};

/// \param flow as cavity::flow() has it
/// \param reynolds one that the table has
deviation from_ghia(const ts::array<motion, 2>& flow, double lid, double reynolds);

}  // namespace lattice_boltzmann
