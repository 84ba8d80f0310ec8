// SPDX-License-Identifier: Apache-2.0
// Times several forms of one computation in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tour {

struct contestant {
  std::string name;
  std::uint64_t units = 1;     ///< of work in a pass: calls, or tasks times rounds
  std::function<void()> pass;  ///< throws what is wrong with its answer
  double nanoseconds = 0;      ///< per unit, median; set by measure
  std::string why_not{};       ///< set by measure where the system had not the threads for a pass; else empty
};

/// Runs every form `rounds` times, one after the other in each round, after a pass that is not timed. A time is that of
/// as many passes as take 5 ms together. A form whose threads cannot be had (std::system_error: resource_unavailable_try_again) is left out
/// from then on, unless it is the one named `ours`, without which there is nothing to compare. Errors: what a pass throws.
void measure(std::vector<contestant>& all, const std::string& ours, int rounds);

/// The table, and which forms could not be had: time of each form, and how many times that of the form named `ours` it takes.
void print(const std::vector<contestant>& all, const std::string& ours, const char* unit);

}  // namespace tour
