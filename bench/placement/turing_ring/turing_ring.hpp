// SPDX-License-Identifier: Apache-2.0
// Problem turing_ring: figure 2 of hybrid-placement.txt. A ring of cells in which predators and preys live. In each step bodies die and are
// born, by chances that follow from how many of both kinds are in their cell, and then some go to the cells beside. A cell takes as long as it
// has bodies; those of the eighth of the ring that is fertile have ten times as many, and cells differ by ten besides. The unit is one cell
// in one step.
//
// What becomes of a body is drawn by its number and that of the step, so the outcome is the same to the last bit whoever computes what: a
// run is right when each cell has the same bodies, in the same order, as in a sequential one; and in that the bodies that were there at the
// beginning, those born and those dead add up, and none is there twice.
//
// --size: cells, 1000 as the paper has; --phases: steps, 100.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "placement/placement_figures.hpp"
#include "support/program.hpp"
#include "support/stopwatch.hpp"

namespace bench {

using bodies = std::vector<std::uint64_t>;  // a body is its number

enum class ring_kind : std::uint8_t { prey, predator };

/// Of all bodies of a kind in a cell, in one step.
struct ring_chances {
  double birth;
  double death;
};

/// Those that are there after births and deaths.
struct ring_change {
  bodies alive;
  std::uint64_t births;
  std::uint64_t deaths;
};

struct ring_cell {
  std::uint64_t number = 0;
  double capacity = 0;           ///< preys that it feeds
  double growth = 0;             ///< births for each prey where there is room
  double catches = 0;            ///< preys that a predator gets
  std::array<bodies, 2> living;  ///< by kind
  std::array<bodies, 2> to_left;
  std::array<bodies, 2> to_right;
  std::uint64_t births = 0;  ///< in all steps
  std::uint64_t deaths = 0;

  friend bool operator==(const ring_cell&, const ring_cell&) = default;
};

/// Cell `number` of `cells`, at the beginning.
ring_cell first_state(std::uint64_t number, std::uint64_t cells, std::uint64_t seed);

ring_chances chances_of(const ring_cell& cell, ring_kind kind);
ring_change step_of(const bodies& all, ring_chances chances, std::uint64_t step);

/// Those of a kind that leave go into to_left and to_right, the others stay.
void settle(ring_cell& cell, ring_kind kind, const ring_change& change, std::uint64_t step);

/// Takes in those that have come from both sides.
void receive(ring_cell& cell, const std::array<bodies, 2>& from_left, const std::array<bodies, 2>& from_right);

using ring_cells = std::vector<ring_cell>;

void run_sequentially(ring_cells& ring, std::uint64_t steps);

class turing_ring_problem {
public:
  explicit turing_ring_problem(const options& o);

  [[nodiscard]] std::uint64_t cells() const { return cells_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] ring_cells beginning() const;

  /// The ring at the end, and how long the steps took.
  void done(ring_cells result, duration took) {
    result_ = std::move(result);
    took_ = took;
  }
  void ran(const placement_figures& figures) { figures_ = figures; }

  void reset() { result_.clear(); }
  void verify();
  [[nodiscard]] duration timed_part() const { return took_; }
  [[nodiscard]] std::uint64_t operations() const { return cells_ * steps_; }
  void report(nlohmann::json& line) const;

private:
  void make_expected();

  std::uint64_t cells_;
  std::uint64_t steps_;
  std::uint64_t seed_;
  ring_cells expected_;  // empty until it is needed
  ring_cells result_;
  duration took_;
  placement_figures figures_;
};

}  // namespace bench
