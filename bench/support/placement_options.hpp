// SPDX-License-Identifier: Apache-2.0
// What problems about placement add to the command line.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "support/program.hpp"

namespace bench {

/// Of competitors over places of Tactus.
void add_placement_option(CLI::App& app, options& o);

void add_uts_places_options(CLI::App& app, options& o, const std::string& competitor);

/// quicksort and turing_ring.
void add_moving_options(CLI::App& app, options& o, const std::string& problem, const std::string& competitor);

void add_replay_options(CLI::App& app, options& o);

}  // namespace bench
