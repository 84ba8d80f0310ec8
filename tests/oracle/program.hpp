// SPDX-License-Identifier: Apache-2.0
// What a random program is: a tree of statements, each of which runs at most once, and what the interpreter expects of
// each. The generator writes the tree, the interpreter binds slots and fills in expectations, the runner executes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"
#include "statement.hpp"

namespace oracle {

/// One task: the root (0), an async, an async_future or an element of a loop.
struct task {
  statement_id body = k_none;
  statement_id maker = k_none;
  std::uint8_t place = 0;
};

[[nodiscard]] constexpr unsigned domain_at(unsigned place, unsigned which) noexcept {
  return place * k_domains + which;
}
[[nodiscard]] constexpr bool is_of_place(unsigned domain) noexcept { return domain % k_domains == 0; }

/// A task's arrival at a clock, or its passing on, in one phase.
struct clock_step {
  slot_id clock = 0;
  std::uint16_t phase = 0;
  std::uint16_t after =
      k_none;          ///< phase() after the statement; k_none: another step tells, or it is not on it any more
  bool waits = false;  ///< waits for that phase, or leaves in it: counted on phasers with a bound
};
struct clock_steps {  ///< a range of program::steps
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// What the interpreter expects of one statement.
struct expectation {
  bool runs = false;
  std::uint64_t exception =
      0;  ///< hash of what it throws, swallows or stores; with_guard: of what leaves the body; 0: nothing
  std::uint64_t second =
      0;  ///< with_guard: hash of what the destructor's block throws and swallows; next_single: what its
          ///< body finds in the phaser's own accumulator; pass_on: the sum of its items
  std::uint64_t value = 0;  ///< get: the value got; fold: the result; spawn_future: the future's value
  clock_steps arrives;  ///< phases that nobody leaves before this statement; finish_block: before its body has ended
  clock_steps passes;   ///< phases that everybody else has finished after it
};

struct program {
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;  ///< enters every value and exception, so that one program's never pass for another's
  bool stuck = false;      ///< made to deadlock
  unsigned places = 1;
  unsigned objects = 0;  ///< place_locals
  std::vector<statement> statements;
  std::vector<task> tasks;

  // bound and predicted by the interpreter
  unsigned futures = 0;
  unsigned promises = 0;
  unsigned cells = 0;
  std::uint64_t external = 0;              ///< bit per promise slot: fulfilled by the foreign thread
  std::vector<expectation> expected;       ///< per statement
  std::vector<std::uint8_t> task_runs;     ///< per task
  std::vector<statement_id> future_maker;  ///< per future slot
  unsigned clocks = 0;
  unsigned flags = 0;
  unsigned late_joiners = 0;            ///< registrations by parents that had resumed
  unsigned early_joiners = 0;           ///< by parents that only signal and had run ahead in the first run
  std::vector<clock_step> steps;        ///< what expectations and `leaves` refer to
  std::vector<clock_steps> leaves;      ///< per task: the phases that its end counts in
  std::vector<std::uint16_t> arrivals;  ///< per clock and phase: how many there are; k_max_phases to a clock
  std::vector<std::uint16_t> goings;    ///< the same: how many wait, or leave who may, where there is a bound
  std::vector<std::uint16_t> singles;   ///< the same: how many arrive by next_single
  std::vector<std::uint8_t> bodies;     ///< the same: whether a body of theirs runs
  std::uint64_t phasers = 0;            ///< bit per clock slot: a phaser
  std::array<std::uint8_t, k_max_clocks> bounds{};    ///< of phasers; 0: none
  std::array<slot_id, k_max_clocks> sum_of_phaser{};  ///< the accumulator that was made with a phaser; k_none: none
  std::vector<statement_id> sum_maker;                ///< per accumulator
  std::array<std::uint64_t, k_domains * k_max_places> sums{};             ///< what blocks add up to
  std::array<std::uint64_t, k_domains * k_max_places> blocks{};           ///< how many there are
  std::array<std::uint64_t, k_max_objects * k_max_places> object_sums{};  ///< what uses of a place_local add up to
  std::uint64_t root_exception = 0;  ///< hash of what the root finish throws; 0: nothing
  std::uint64_t stuck_leaves =
      0;  ///< stuck programs: sum of the hashes of the leaves that escaped, deadlock errors left out
  std::vector<task_id> stuck_tasks;  ///< stuck programs: whose waits end in deadlock_error, once for each wait
  unsigned running_tasks = 0;        ///< how many tasks run
  std::uint64_t asyncs = 0;          ///< how many tasks asyncs of all kinds have made; loops not counted
  std::uint64_t finishes = 0;        ///< how many finishes there are, pass_on included; loops not counted
  std::uint64_t loops = 0;           ///< how many loops and folds, which may make tasks and finishes of their own
  std::uint64_t turns = 0;           ///< phases of clocks that somebody has passed

  void clear();

  // Values that both sides compute alike.
  [[nodiscard]] std::uint64_t cell_value(slot_id slot) const noexcept { return mix(salt, 0x100u + slot); }
  [[nodiscard]] std::uint64_t task_value(task_id id) const noexcept { return mix(salt, 0x10000u + id); }
  [[nodiscard]] std::uint64_t promise_value(slot_id slot) const noexcept { return mix(salt, 0x20000u + slot); }
  [[nodiscard]] std::uint64_t element_value(task_id id) const noexcept { return mix(salt, 0x30000u + id); }
  [[nodiscard]] std::uint64_t block_value(statement_id at) const noexcept { return mix(salt, 0x50000u + at); }
  [[nodiscard]] std::uint64_t flag_value(slot_id slot) const noexcept { return mix(salt, 0x60000u + slot); }
  [[nodiscard]] std::uint64_t object_value(slot_id slot, unsigned place) const noexcept {
    return mix(salt, 0x80000u + slot * k_max_places + place);
  }
  [[nodiscard]] std::uint64_t sent_value(statement_id at, unsigned i) const noexcept {
    return mix(salt, 0x70000u + 4u * at + i);
  }
  [[nodiscard]] std::uint64_t single_value(slot_id phaser, std::uint64_t phase) const noexcept {
    return mix(mix(salt, 0xb0000u + phaser), phase);
  }

  [[nodiscard]] std::uint64_t item(task_id producer, unsigned i) const noexcept {
    return mix(salt, 0x100000u + k_most_items * producer + i);
  }
  /// How many items a producer pushes, and how many of them before its body.
  [[nodiscard]] unsigned items(task_id producer) const noexcept {
    return static_cast<unsigned>(mix(salt, 0xc0000u + producer) % (k_most_items + 1));
  }
  [[nodiscard]] unsigned items_before(task_id producer) const noexcept {
    return static_cast<unsigned>(mix(salt, 0xd0000u + producer) % (items(producer) + 1));
  }
  /// Or else it just lets its end go.
  [[nodiscard]] bool closes(task_id producer) const noexcept { return mix(salt, 0xe0000u + producer) % 2 == 0; }

  /// Of what type the exception is that the statement throws.
  [[nodiscard]] thrown_type thrown_by(statement_id at) const noexcept {
    if (places == 1) return at % 4 == 3 ? thrown_type::odd : thrown_type::registered;
    if (at % 4 == 3) return thrown_type::stranger;
    if (at % 4 == 1)
      return std::array{thrown_type::with_text, thrown_type::with_code, thrown_type::with_text,
                        thrown_type::without_text}[at / 4 % 4];
    return thrown_type::registered;
  }
  [[nodiscard]] std::uint64_t hash_of_leaf(statement_id at) const noexcept;
  /// with_objects by exception: at which places the constructor throws. At one or more.
  [[nodiscard]] bool throws_at(statement_id at, unsigned place) const noexcept {
    return at % places == place || (mix(salt, 0xf0000u + at) >> place & 3u) == 3;
  }
  /// Whether the end of an object spawns a task.
  [[nodiscard]] static bool end_spawns(statement_id at) noexcept { return at % 2 == 0; }

  [[nodiscard]] bool is_phaser(slot_id slot) const noexcept { return slot != k_none && (phasers >> slot & 1u) != 0; }
  /// The kind of an accumulator; one made with a phaser adds numbers.
  [[nodiscard]] sum_kind kind_of(slot_id sum) const noexcept { return statements[sum_maker[sum]].adds; }
};

// Exceptions are compared by hash: a leaf by program and statement, a multiple_exceptions by the multiset of its elements.
inline constexpr std::uint64_t k_deadlock_hash = 0xdead10cc00000001u;
inline constexpr std::uint64_t k_broken_hash = 0xdead10cc00000002u;
inline constexpr std::uint64_t k_usage_hash = 0xdead10cc00000003u;
inline constexpr std::uint64_t k_clock_use_hash = 0xdead10cc00000005u;
inline constexpr std::uint64_t k_atomic_use_hash = 0xdead10cc00000006u;
inline constexpr std::uint64_t k_phaser_use_hash = 0xdead10cc00000007u;
inline constexpr std::uint64_t k_place_hash = 0xdead10cc00000008u;
inline constexpr std::uint64_t k_textless_hash = 0xdead10cc00000010u;  ///< and those after it: types that carry no text
inline constexpr unsigned k_textless_types = 11;
inline constexpr std::uint64_t k_foreign_hash = 0xdead10cc00000004u;  ///< any exception no program throws

[[nodiscard]] constexpr std::uint64_t multiple_hash(std::uint64_t sum_of_elements, std::uint64_t count) noexcept {
  return mix(sum_of_elements, count);
}

/// An element of the monoid of affine maps x -> a x + b: associative, not commutative, T{} is the identity.
struct affine {
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  friend constexpr affine operator*(affine f, affine g) noexcept { return {f.a * g.a, f.a * g.b + f.b}; }
  [[nodiscard]] constexpr std::uint64_t hash() const noexcept { return mix(a, b); }
};
[[nodiscard]] constexpr affine affine_of(std::uint64_t x) noexcept { return {x | 1u, mix(x)}; }

/// By statement, that of the task that runs it.
[[nodiscard]] std::vector<std::uint8_t> places_of_statements(const program& p);

/// The program as an indented text with one line per statement, for failure reports.
[[nodiscard]] std::string describe(const program& p);

}  // namespace oracle
