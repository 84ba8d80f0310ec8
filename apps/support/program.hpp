// SPDX-License-Identifier: Apache-2.0
// How an application ends.
#pragma once

#include "output.hpp"

#include <tactus/base/error.hpp>

#include <exception>
#include <string_view>

namespace apps {

enum exit_code : int { k_right = 0, k_failed = 1, k_unusable = 2 };

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
