// SPDX-License-Identifier: Apache-2.0
// Options of programs that are several processes.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "support/program.hpp"

namespace bench {

void add_mpi_options(CLI::App& app, options& o, const std::string& problem, const std::string& competitor);

}  // namespace bench
