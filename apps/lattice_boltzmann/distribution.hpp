// SPDX-License-Identifier: Apache-2.0
// Which place has which cells, by the names of the command line.
#pragma once

#include "options.hpp"

#include <tactus/array/dist.hpp>

#include <functional>
#include <map>
#include <string>

namespace lattice_boltzmann {

using distribution = std::function<tactus::dist<2>(const tactus::region<2>&, const options&)>;

/// All that there are.
const std::map<std::string, distribution>& distributions();

/// Over all places. tactus::usage_error for a grid of more parts than places. In a task.
tactus::dist<2> distribution_of(const options& o);

}  // namespace lattice_boltzmann
