// SPDX-License-Identifier: Apache-2.0
// Which place has which cells, by the names of the command line.
#pragma once

#include "options.hpp"

#include <tactus/array/dist.hpp>

#include <string>
#include <vector>

namespace lattice_boltzmann {

/// All that there are.
const std::vector<std::string>& distribution_names();

/// Over all places. tactus::usage_error for a grid of more parts than places. In a task.
tactus::dist<2> distribution_of(const options& o);

}  // namespace lattice_boltzmann
