// SPDX-License-Identifier: Apache-2.0
#include "placement/turing_ring/turing_ring.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "support/random_numbers.hpp"

namespace bench {
namespace {

constexpr std::uint64_t k_papers_cells = 1000;
constexpr std::uint64_t k_steps = 100;
constexpr double k_least_capacity = 400;
constexpr std::uint64_t k_fertile_part = 8;  // one cell of so many
constexpr double k_fertility = 10;
constexpr double k_predators_births = 0.25;  // for each where the cell is full of preys
constexpr double k_predators_deaths = 0.1;
constexpr double k_most_likely = 0.9;
constexpr double k_leaving = 0.1;

// What is drawn of a body in a step.
enum class draw : std::uint64_t { death = 1, birth, child, way };

std::uint64_t drawn(std::uint64_t body, std::uint64_t step, draw what) {
  return random_numbers(body ^ (4 * step + static_cast<std::uint64_t>(what)) * 0xD1342543DE82EF95u).next();
}

double uniform(std::uint64_t number) { return static_cast<double>(number >> 11) * 0x1p-53; }

bool happens(double chance, std::uint64_t body, std::uint64_t step, draw what) {
  return uniform(drawn(body, step, what)) < chance;
}

double likely(double chance) { return std::clamp(chance, 0.0, k_most_likely); }

bodies& of(std::array<bodies, 2>& both, ring_kind kind) { return both[static_cast<std::size_t>(kind)]; }
const bodies& of(const std::array<bodies, 2>& both, ring_kind kind) { return both[static_cast<std::size_t>(kind)]; }

std::uint64_t living_in(const ring_cells& ring) {
  std::uint64_t all = 0;
  for (const ring_cell& c : ring) {
    for (const bodies& some : c.living) all += some.size();
  }
  return all;
}

void check_that_nobody_is_there_twice(const ring_cells& ring) {
  bodies all;
  for (const ring_cell& c : ring) {
    for (const bodies& some : c.living) all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) throw wrong_answer("turing_ring: a body is there twice");
}

void check_sum(const ring_cells& before, const ring_cells& after) {
  std::uint64_t births = 0;
  std::uint64_t deaths = 0;
  for (const ring_cell& c : after) {
    births += c.births;
    deaths += c.deaths;
  }
  if (living_in(before) + births != living_in(after) + deaths) {
    throw wrong_answer("turing_ring: births less deaths are not what has come to the ring");
  }
}

}  // namespace

ring_cell first_state(std::uint64_t number, std::uint64_t cells, std::uint64_t seed) {
  random_numbers from(seed ^ (number + 1) * 0x9FB21C651E98DF25u);
  const auto between = [&from](double least, double most) { return least + (most - least) * uniform(from.next()); };
  ring_cell made;
  made.number = number;
  made.capacity = k_least_capacity * std::exp2(between(0, 3.3));
  if (number * k_fertile_part < cells) made.capacity *= k_fertility;
  made.growth = between(0.2, 0.4);
  made.catches = between(0.4, 0.8);
  for (auto& some : made.living) {
    some.resize(static_cast<std::size_t>(made.capacity * between(0.2, 0.5)));
    for (std::uint64_t& body : some) body = from.next();
  }
  return made;
}

ring_chances chances_of(const ring_cell& cell, ring_kind kind) {
  const double preys = static_cast<double>(of(cell.living, ring_kind::prey).size()) / cell.capacity;
  const double predators = static_cast<double>(of(cell.living, ring_kind::predator).size()) / cell.capacity;
  if (kind == ring_kind::prey) return {likely(cell.growth * (1 - preys)), likely(cell.catches * predators)};
  return {likely(k_predators_births * preys), k_predators_deaths};
}

ring_change step_of(const bodies& all, ring_chances chances, std::uint64_t step) {
  ring_change made{{}, 0, 0};
  made.alive.reserve(all.size() + all.size() / 2);
  for (const std::uint64_t body : all) {
    if (happens(chances.death, body, step, draw::death)) {
      ++made.deaths;
      continue;
    }
    made.alive.push_back(body);
    if (happens(chances.birth, body, step, draw::birth)) {
      made.alive.push_back(drawn(body, step, draw::child));
      ++made.births;
    }
  }
  return made;
}

void settle(ring_cell& cell, ring_kind kind, const ring_change& change, std::uint64_t step) {
  cell.births += change.births;
  cell.deaths += change.deaths;
  bodies& stay = of(cell.living, kind);
  bodies& left = of(cell.to_left, kind);
  bodies& right = of(cell.to_right, kind);
  stay.clear();
  left.clear();
  right.clear();
  for (const std::uint64_t body : change.alive) {
    const double way = uniform(drawn(body, step, draw::way));
    (way < k_leaving / 2 ? left : way < k_leaving ? right : stay).push_back(body);
  }
}

void receive(ring_cell& cell, const std::array<bodies, 2>& from_left, const std::array<bodies, 2>& from_right) {
  for (const ring_kind kind : {ring_kind::prey, ring_kind::predator}) {
    bodies& all = of(cell.living, kind);
    for (const auto* side : {&from_left, &from_right}) {
      const bodies& some = of(*side, kind);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
}

void run_sequentially(ring_cells& ring, std::uint64_t steps) {
  const std::size_t n = ring.size();
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (ring_cell& cell : ring) {
      const ring_chances of_preys = chances_of(cell, ring_kind::prey);
      const ring_chances of_predators = chances_of(cell, ring_kind::predator);
      for (const auto& [kind, chances] :
           {std::pair(ring_kind::prey, of_preys), std::pair(ring_kind::predator, of_predators)}) {
        settle(cell, kind, step_of(of(cell.living, kind), chances, step), step);
      }
    }
    for (std::size_t i = 0; i < n; ++i) receive(ring[i], ring[(i + n - 1) % n].to_right, ring[(i + 1) % n].to_left);
  }
}

turing_ring_problem::turing_ring_problem(const options& o)
    : cells_(o.size == 0 ? k_papers_cells : o.size), steps_(o.phases == 0 ? k_steps : o.phases), seed_(o.seed) {}

ring_cells turing_ring_problem::beginning() const {
  ring_cells made;
  for (std::uint64_t i = 0; i < cells_; ++i) made.push_back(first_state(i, cells_, seed_));
  return made;
}

void turing_ring_problem::make_expected() {
  const ring_cells before = beginning();
  expected_ = before;
  run_sequentially(expected_, steps_);
  check_sum(before, expected_);
  check_that_nobody_is_there_twice(expected_);
}

void turing_ring_problem::verify() {
  if (expected_.empty()) make_expected();
  if (result_.size() != expected_.size()) throw wrong_answer("turing_ring: cells are missing");
  const auto [is, should] = std::ranges::mismatch(result_, expected_);
  if (is != result_.end()) {
    throw wrong_answer("turing_ring: cell " + std::to_string(should->number) + " is not as in a sequential run");
  }
}

void turing_ring_problem::report(nlohmann::json& line) const {
  line["cells"] = cells_;
  line["steps"] = steps_;
  figures_.add_to(line);
}

}  // namespace bench
