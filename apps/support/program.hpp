// SPDX-License-Identifier: Apache-2.0
// How an application begins and ends.
#pragma once

#include "output.hpp"

#include <tactus/base/error.hpp>

#include <CLI/CLI.hpp>
#include <exception>
#include <optional>
#include <string_view>

namespace apps {

enum exit_code : int { k_right = 0, k_failed = 1, k_unusable = 2 };

/// Reads a command line. Where there is nothing more to do, as for --help, or it is wrong, which has been told: how the program ends.
inline std::optional<exit_code> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? k_right : k_unusable;
  }
}

/// Does what the program is for, until all that it has printed is where it belongs; tells what that throws. Misuse is of the command line.
template <class Body>
int finish(std::string_view program, const Body& body) {
  try {
    const exit_code code = body();
    finish_printing();
    return code;
  } catch (const tactus::usage_error& e) {
    complain(program, e.what());
    return k_unusable;
  } catch (const tactus::config_error& e) {
    complain(program, e.what());
    return k_unusable;
  } catch (const std::exception& e) {
    complain(program, e.what());
    return k_failed;
  }
}

}  // namespace apps
