// SPDX-License-Identifier: Apache-2.0
// Tables of the tasks of a run.
#pragma once

#include "simulator/workload.hpp"

#include <istream>
#include <string>

namespace simulator {

/// Reads a table, whose form docs/simulator.md has; `name` is how errors call it.
workload table(std::istream& in, const std::string& name);

}  // namespace simulator
