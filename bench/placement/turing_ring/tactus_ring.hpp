// SPDX-License-Identifier: Apache-2.0
// Figure 2 with tasks that may move: a cell goes along with the task that does all of a step in it. The task of its preys could move as well,
// with a copy of them, and is to stay with the cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <tactus/tactus.hpp>
#include <utility>
#include <vector>

#include "placement/placed_runtime.hpp"
#include "placement/turing_ring/turing_ring.hpp"

namespace bench {

/// The cells of a place, which follow each other.
using ring_at_places = tactus::place_local_ref<ring_cells>;

inline void make_cells(ring_at_places ring, std::uint64_t cells, std::uint64_t seed) {
  const auto place = static_cast<std::uint64_t>(tactus::here().id());
  const auto places = static_cast<std::uint64_t>(tactus::places().size());
  for (std::uint64_t i = place * cells / places; i < (place + 1) * cells / places; ++i) {
    ring->push_back(first_state(i, cells, seed));
  }
}

inline void update_cell(ring_cell& cell, std::uint64_t step) {
  bodies& preys = cell.living[static_cast<std::size_t>(ring_kind::prey)];
  const bodies& predators = cell.living[static_cast<std::size_t>(ring_kind::predator)];
  const ring_chances of_preys = chances_of(cell, ring_kind::prey);
  const ring_chances of_predators = chances_of(cell, ring_kind::predator);
  const tactus::future<ring_change> preys_after =
      tactus::at_future(tactus::place_flexible.named("preys").sensitive(), step_of, std::move(preys), of_preys, step);
  const ring_change predators_after = step_of(predators, of_predators, step);
  settle(cell, ring_kind::prey, preys_after.get(), step);
  settle(cell, ring_kind::predator, predators_after, step);
}

/// At each place.
inline void update_cells(ring_at_places ring, std::uint64_t step) {
  for (ring_cell& cell : *ring) {
    const tactus::global_ref<ring_cell> of_cell(cell);
    tactus::async_at(tactus::place_flexible(of_cell.home()).named("cell").carrying(of_cell), update_cell, step);
  }
}

/// At each place, when all cells are home again.
inline void let_bodies_arrive(ring_at_places ring) {
  const tactus::place here = tactus::here();
  const auto before = ring.at(here.prev(), [](const ring_cells& cells) { return cells.back().to_right; });
  const auto behind = ring.at(here.next(), [](const ring_cells& cells) { return cells.front().to_left; });
  ring_cells& cells = *ring;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    receive(cells[i], i == 0 ? before : cells[i - 1].to_right, i + 1 == cells.size() ? behind : cells[i + 1].to_left);
  }
}

/// By the root task.
inline void run_with_tasks(turing_ring_problem& p) {
  const auto places = static_cast<std::uint64_t>(tactus::places().size());
  if (p.cells() < places) {
    throw std::invalid_argument("turing_ring: " + std::to_string(p.cells()) + " cells are fewer than " +
                                std::to_string(places) + " places");
  }
  const tactus::place_local<ring_cells> all;
  const ring_at_places ring = all.ref();
  tactus::at_each(tactus::places(), make_cells, ring, p.cells(), p.seed());
  const stopwatch watch;
  for (std::uint64_t step = 0; step < p.steps(); ++step) {
    tactus::at_each(tactus::places(), update_cells, ring, step);
    tactus::at_each(tactus::places(), let_bodies_arrive, ring);
  }
  const duration took = watch.elapsed();
  ring_cells result;
  for (const tactus::place at : tactus::places()) {
    ring_cells some = ring.at(at, [](const ring_cells& cells) { return cells; });
    result.insert(result.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  p.done(std::move(result), took);
}

class tactus_turing_ring {
public:
  tactus_turing_ring(const options& o, turing_ring_problem& p) : problem_(p), runtime_(placed_config(o)) {}

  void pass() {
    runtime_.run([this] { run_with_tasks(problem_); });
    problem_.ran(runtime_.figures());
  }

private:
  turing_ring_problem& problem_;
  placed_runtime runtime_;
};

}  // namespace bench
