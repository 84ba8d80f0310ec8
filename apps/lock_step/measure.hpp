// SPDX-License-Identifier: Apache-2.0
// The election of a leader in a ring (IMSuite's LCR; uclocks.txt, figure 14) in every form: n tasks, n rounds, a barrier in
// each round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lock_step {

struct settings {
  std::size_t nodes = 64;  ///< of the ring; at least 2
  int threads = 0;         ///< of each form; 0: one per usable core
  int reps = 11;           ///< fewer where they would take more than 4 s together
  double cap_seconds = 5;  ///< a run of the model that takes longer is stopped
  std::uint64_t seed = 1;  ///< of the order of the ids
};

/// What one form took.
struct measurement {
  std::string form;
  std::uint64_t threads = 1;             ///< that it has made, all together
  std::optional<double> median_seconds;  ///< of an election; none: one was stopped
  std::string why_stopped;               ///< what the model says: too slow, or not enough threads to be had
};

struct table {
  int threads = 1;                ///< that were asked for
  std::vector<measurement> rows;  ///< from the plain loop to X10's clocks as they were
};

/// The name of the form that the others are compared with.
inline constexpr const char* k_clock = "Tactus clock";

/// Runs every form, in turns, and verifies each answer. Throws bench::wrong_answer.
table measure(const settings& s);

}  // namespace lock_step
