// SPDX-License-Identifier: Apache-2.0
// Which of the paper's runtimes the model is, and what it counts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench::xrx {

/// The columns of uclocks.txt, figure 19, in its order; each has what those before it have.
enum class scheme {
  baseline,       ///< X10 2.6.1: one lock for atomic, when and all clocks; every release unparks everybody
  opt1,           ///< a lock for each clock (DP1, figures 8 and 9)
  opt12,          ///< and at most `threads` running, the rest pending (DP2, figure 10)
  uclocks_eager,  ///< and resumeEager at all barriers; by section 4.2.3 the same code as opt12
  uclocks_lazy,   ///< and resumeLazy at all barriers (DP3, figures 11 and 12)
  uclocks,        ///< and at each barrier what the program asks for
};

inline constexpr std::array<std::string_view, 6> k_scheme_names{"baseline",      "opt1",         "opt12",
                                                                "uclocks_eager", "uclocks_lazy", "uclocks"};

constexpr std::string_view name(scheme s) { return k_scheme_names.at(static_cast<std::size_t>(s)); }

/// Throws std::invalid_argument for a name that is not one of k_scheme_names.
scheme scheme_named(std::string_view name);

/// How a program would be woken at a barrier. Only scheme::uclocks heeds it.
enum class wake { eager, lazy };

constexpr bool has_clock_locks(scheme s) { return s != scheme::baseline; }
constexpr bool is_bounded(scheme s) { return s != scheme::baseline && s != scheme::opt1; }

/// Whether a resume that does not complete the phase leaves the waiting alone.
constexpr bool is_lazy(scheme s, wake asked) {
  return s == scheme::uclocks_lazy || (s == scheme::uclocks && asked == wake::lazy);
}

/// Sums over all activities since the counters were last reset. A wake-up is one unpark of a waiting activity.
struct counts {
  std::uint64_t activities = 0;               ///< begun
  std::uint64_t advances = 0;                 ///< completed
  std::uint64_t clock_waits = 0;              ///< advances that found the phase not complete and parked
  std::uint64_t clock_wakeups = 0;            ///< of activities that wait at a clock
  std::uint64_t clock_wakeups_by_atomic = 0;  ///< of those: by the end of an atomic block or when of the program
  std::uint64_t clock_vain = 0;               ///< of those: that found the phase not complete and parked again
  std::uint64_t when_wakeups = 0;             ///< of activities that wait at a when of the program
  std::uint64_t when_wakeups_by_clock = 0;    ///< of those: by an operation on a clock
  std::uint64_t when_vain = 0;                ///< of those: that found the condition false and parked again
  std::uint64_t threads = 0;                  ///< that exist, since the pool was made
  std::uint64_t most_running = 0;             ///< threads neither parked nor pending, at once
};

}  // namespace bench::xrx
