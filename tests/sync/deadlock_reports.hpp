// SPDX-License-Identifier: Apache-2.0
// What the tests of deadlock reports of clocks and phasers share.
#pragma once

#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"

#include <cstddef>
#include <optional>
#include <sstream>
#include <string>

namespace deadlock_reports {

/// How often `part` occurs in what the lines of a report say after "not arrived" or "not signalled".
inline std::size_t times_missing(const std::string& report, const std::string& part) {
  std::size_t times = 0;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    std::size_t list = line.find("not signalled");
    if (list == std::string::npos) list = line.find("not arrived");
    if (list == std::string::npos) continue;
    for (std::size_t at = line.find(part, list); at != std::string::npos; at = line.find(part, at + 1)) ++times;
  }
  return times;
}

/// Runs bodies that end in a deadlock_error, under each setting.
class each_setting : public support::each_setting {
protected:
  template <class Body>
  static std::optional<tactus::deadlock_error> error_of(Body body) {
    return support::caught<tactus::deadlock_error>([&] { run(body); });
  }

  template <class Body>
  static std::string report_of(Body body) {
    const auto e = error_of(body);
    return e ? e->what() : "no deadlock_error";
  }
};

}  // namespace deadlock_reports
