// SPDX-License-Identifier: Apache-2.0
// What a random program is: a tree of statements, each of which runs at most once, and what the interpreter expects of
// each. The generator writes the tree, the interpreter binds slots and fills in expectations, the runner executes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"

namespace oracle {

using statement_id = std::uint16_t;
using task_id = std::uint16_t;
using slot_id = std::uint16_t;

inline constexpr std::uint16_t k_none = 0xffff;
inline constexpr unsigned k_max_futures = 64;
inline constexpr unsigned k_max_promises = 64;
inline constexpr unsigned k_max_cells = 128;
inline constexpr unsigned k_max_clocks = 64;  ///< and phasers, which share their slots
inline constexpr unsigned k_max_accumulators = 64;
inline constexpr unsigned k_max_flags = 64;
inline constexpr unsigned k_max_phases = 32;  ///< of a clock, whose arrivals are counted one by one
inline constexpr unsigned k_domains = 4;      ///< of atomic blocks at each place: its own, then three monitors
inline constexpr unsigned k_max_places = 8;

enum class op : std::uint8_t {
  // one step of the task that runs it
  write_cell,     ///< plain store to a cell of its own
  read_cell,      ///< plain load of a cell whose write happens before
  touch_local,    ///< task_local: fresh at the first touch, then this task's own
  yield_now,      ///< yield()
  get_future,     ///< get() of an async_future made before
  get_promise,    ///< get() of a promise's future
  set_promise,    ///< set_value or set_exception, the only one of its slot
  set_again,      ///< a second set, known to come later: usage_error
  ask_foreign,    ///< asks the foreign thread to fulfil an external promise
  throw_now,      ///< throws an exception that names this statement
  rethrow,        ///< `throw;` inside a handler of the same task
  throwing_copy,  ///< async with a closure whose copy throws: nothing is spawned
  get_never,      ///< get() of a promise that nobody sets; only in programs made to be stuck
  when_never,     ///< when() of a condition that nobody makes true; likewise
  make_clock,     ///< clock::make()
  resume_clock,   ///< resume() of one clock that the task is registered on, or signal() of a phaser
  advance_clock,  ///< advance() of one, or next()
  drop_clock,     ///< drop() of one
  resume_all,     ///< resume_all(), and signal() of each phaser
  advance_all,    ///< advance_all(), or next()
  misuse_clock,   ///< a clock that was dropped, or a child on it inside a finish: clock_use_error
  misuse_block,   ///< what an atomic block may not do: atomic_use_error
  make_phaser,    ///< phaser(mode), with or without a bound, and perhaps an accumulator at once
  wait_phaser,    ///< wait() of a phaser after a signal, or of a task that only waits
  next_single,    ///< next_single(f), of a phaser or of all
  make_sum,       ///< an accumulator on a clock or a phaser
  send_to_sum,    ///< `count` sends
  look_at_sum,    ///< result(), and scans where their order is known
  misuse_phaser,  ///< what a task may not do in its mode: phaser_use_error
  line_up,  ///< `count` tasks, which are none of the program, come to one lock, condition or stream, first in first out
  // with statements inside, run by the same task
  call,          ///< a plain call of a function that spawns: its asyncs escape
  finish_block,  ///< finish(body), or finish(clocked, body)
  try_catch,     ///< try { body } catch (...) { other }
  with_guard,    ///< body, then `other` in a destructor: normally or during unwinding
  atomic_block,  ///< atomic(body), of the place or a monitor; adds to the domain's sum and sets a flag
  when_block,    ///< the same under a condition on the domain's flags or on how many blocks have ended
  // that make tasks
  spawn,            ///< async(body)
  spawn_future,     ///< async_future(body)
  loop,             ///< for_each over `count` elements, each with a body of its own
  fold,             ///< reduce over `count` elements with a monoid that does not commute
  pass_on,          ///< `grain` producers push to a stream, then the rest of `count` tasks take from it
  at_place,         ///< at(): the body runs at the place of its task, whose asyncs escape
  abandon_promise,  ///< a child takes the last promise handle and drops it: broken_promise
};

/// Joins what it makes, and `count` tasks of its own are numbered from its first one.
[[nodiscard]] constexpr bool has_elements(op what) noexcept {
  return what == op::loop || what == op::fold || what == op::pass_on;
}

/// Makes a clock or phaser, arrives there, waits for a phase, or leaves.
[[nodiscard]] constexpr bool is_clock_step(op what) noexcept {
  return what == op::make_clock || what == op::make_phaser || what == op::resume_clock || what == op::advance_clock ||
         what == op::wait_phaser || what == op::next_single || what == op::drop_clock || what == op::resume_all ||
         what == op::advance_all;
}

/// Of phasers, in the order of tactus::phaser_mode. Clocks: all signal and wait.
enum class mode : std::uint8_t { signal_wait_next, signal_wait, signal_only, wait_only };
[[nodiscard]] constexpr bool may_signal(mode m) noexcept { return m != mode::wait_only; }
[[nodiscard]] constexpr bool may_wait(mode m) noexcept { return m != mode::signal_only; }
[[nodiscard]] constexpr bool may_hand_on(mode from, mode to) noexcept {
  return from == to || (from < mode::signal_only && from < to);
}

/// What an accumulator adds up. Ordered: only the maker of its home and those that the maker has registered send, so that all know
/// in which order they were registered.
enum class sum_kind : std::uint8_t { numbers, ordered_numbers, ordered_maps };
enum class sum_way : std::uint8_t { dynamic_lazy, fixed_lazy, tree, eager, eager_with_delay, per_worker, automatic };
inline constexpr unsigned k_ordered_ways = 3;  ///< the first of them combine in the order of registration
inline constexpr unsigned k_ways = 7;

/// What the statement asks for itself when it spawns.
enum class asked_policy : std::uint8_t { none, work_first, help_first, work_sharing, affinity };

/// What a statement that may throw does with the exception.
enum class on_throw : std::uint8_t { pass, look_and_pass, swallow };

/// What the closure of a spawned task carries.
enum class baggage : std::uint8_t { little, much, aligned };

/// What the tasks of a line_up come to.
enum class queue_at : std::uint8_t { lock, condition, stream_of_items, room_in_a_stream };
inline constexpr unsigned k_queues = 4;
inline constexpr unsigned k_most_items = 6;  ///< of one producer

/// The type of an async_future's value.
enum class value_kind : std::uint8_t { number, nothing, reference };

struct statement {
  op what{};
  asked_policy policy = asked_policy::none;
  on_throw reaction = on_throw::pass;
  baggage carries = baggage::little;
  value_kind value = value_kind::number;
  bool named = false;                   ///< spawned with a name
  bool by_exception = false;            ///< set_promise, ask_foreign: set_exception; when_block: the condition throws
  statement_id next = k_none;           ///< the statement after this one in its block
  statement_id body = k_none;           ///< first statement of the inner block; k_none: empty
  statement_id other = k_none;          ///< handler of try_catch, destructor of with_guard
  slot_id slot = k_none;                ///< future, promise or cell; k_none: not bound, then the statement does nothing
  task_id first_task = k_none;          ///< the task it starts; for loop and fold the first of `count`
  task_id last_task = k_none;           ///< one past the last task made anywhere inside it
  std::uint16_t count = 0;              ///< elements of loop, fold, pass_on and line_up
  std::uint16_t grain = 0;              ///< of loop and fold; 0: the library chooses; producers of pass_on
  std::uint8_t domain = 0;              ///< of atomic blocks: domain_at()
  std::uint8_t hint = 0;                ///< of advance: which of the three
  std::uint8_t wishes = 0;              ///< spawns: on how many clocks the child is to be registered; misuse: which
  bool clocked = false;                 ///< finish_block: finish(clocked, body), and `slot` is its clock
  bool all = false;                     ///< spawns: phased_all; next_single: of all; look_at_sum: with scans
  mode how = mode::signal_wait;         ///< make_phaser
  std::uint8_t bound = 0;               ///< make_phaser, 0: none; pass_on
  queue_at queue{};                     ///< line_up
  sum_kind adds = sum_kind::numbers;    ///< make_sum
  sum_way way = sum_way::dynamic_lazy;  ///< make_sum, make_phaser
  slot_id sum = k_none;                 ///< accumulator
  std::array<mode, 3> modes{};          ///< spawns: of the child on each phaser in `clocks`, in the order of bits
  bool inherits = false;                ///< spawns: the child has its parent's modes
  bool away = false;         ///< spawns: async_at and at_future, to the place of the child, which may be this one
  bool flexible = false;     ///< of away: first a task that may run anywhere, then its own, at its place
  slot_id awaits = k_none;   ///< when_block: the flag that it waits for
  std::uint16_t blocks = 0;  ///< when_block: how many blocks of its domain must have ended
  std::uint64_t clocks = 0;  ///< spawns: bit per clock that the child is registered on
};

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
  std::array<std::uint64_t, k_domains * k_max_places> sums{};    ///< what blocks add up to
  std::array<std::uint64_t, k_domains * k_max_places> blocks{};  ///< how many there are
  std::uint64_t root_exception = 0;                              ///< hash of what the root finish throws; 0: nothing
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
inline constexpr std::uint64_t k_foreign_hash = 0xdead10cc00000004u;  ///< any exception no program throws

[[nodiscard]] constexpr std::uint64_t leaf_hash(std::uint64_t salt, statement_id where) noexcept {
  return mix(salt, 0x40000u + where);
}
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
