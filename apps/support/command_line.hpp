// SPDX-License-Identifier: Apache-2.0
// How an application reads its command line.
#pragma once

#include "program.hpp"

#include <CLI/CLI.hpp>
#include <optional>

namespace apps {

/// Reads a command line. Where there is nothing more to do, as for --help, or it is wrong, which has been told: how the program ends.
inline std::optional<exit_code> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? k_right : k_unusable;
  }
}

}  // namespace apps
