// SPDX-License-Identifier: Apache-2.0
// What tasks of a program write for others to read, and the counts of what ran. Where places are processes, all of these map one
// memory: an edge that the library promises from a task at one rank to a task at another is looked at by a plain store and a
// plain load, as within a process, and a finish that ends too early is seen by whom it lets go on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "program.hpp"

namespace oracle {

/// The processes that run a program together; they are on one machine.
struct rank_list {
  int here = 0;
  int all = 1;
  [[nodiscard]] bool several() const noexcept { return all > 1; }
};
[[nodiscard]] rank_list ranks() noexcept;

/// Meets the other processes of a launch, if there are any, and has all of them map one memory. Once, before anything of this
/// folder runs; outside of tasks.
void meet_ranks();

/// What rank 0 says. Every rank asks, outside of tasks.
[[nodiscard]] bool as_rank_0_says(bool said);

class board {
public:
  /// The number tells which part of the memory of all ranks is this one's.
  explicit board(unsigned number) noexcept : number_(number) {}

  /// For one run of `p`. All ranks do so, of the same program; the first one clears it.
  void lay_out(const program& p);

  std::span<std::atomic<std::uint8_t>> ran;        ///< per statement
  std::span<std::atomic<std::uint8_t>> entered;    ///< per task
  std::span<std::atomic<std::uint16_t>> arrivals;  ///< as program::arrivals: relaxed, so that they order nothing
  // Plain on purpose: the model's happens-before orders every write before every read.
  std::span<std::uint64_t> arguments;   ///< per task, by its spawner
  std::span<std::uint64_t> done;        ///< per task, at the end of its body
  std::span<std::uint64_t> gone;        ///< per task, by the destructor of its captures
  std::span<std::uint64_t> cells;       ///< per slot
  std::span<std::uint8_t> singles_run;  ///< as program::bodies: next_single orders them

private:
  unsigned number_;
  std::vector<std::uint64_t> own_;  // where there is one process
};

}  // namespace oracle
