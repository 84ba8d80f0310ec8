// SPDX-License-Identifier: Apache-2.0
// One statement of a random program: what it does, and how.
#pragma once

#include <array>
#include <cstdint>

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
inline constexpr unsigned k_max_objects = 32;  ///< place_locals of a program

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
  use_object,     ///< of a place_local around: here, at another place, or by a task there
  misuse_object,  ///< of one that has ended, or could not be made: place_error
  line_up,  ///< `count` tasks, which are none of the program, come to one lock, condition or stream, first in first out
  // with statements inside, run by the same task
  call,          ///< a plain call of a function that spawns: its asyncs escape
  finish_block,  ///< finish(body), or finish(clocked, body)
  try_catch,     ///< try { body } catch (...) { other }
  with_guard,    ///< body, then `other` in a destructor: normally or during unwinding
  atomic_block,  ///< atomic(body), of the place or a monitor; adds to the domain's sum and sets a flag
  when_block,    ///< the same under a condition on the domain's flags or on how many blocks have ended
  with_objects,  ///< makes a place_local, then finish(body), after which it ends
  // that make tasks
  spawn,            ///< async(body)
  spawn_future,     ///< async_future(body)
  loop,             ///< for_each over `count` elements, each with a body of its own
  fold,             ///< reduce over `count` elements with a monoid that does not commute
  pass_on,          ///< `grain` producers push to a stream, then the rest of `count` tasks take from it
  at_place,         ///< at(): the body runs at the place of its task, whose asyncs escape
  each_place,       ///< at_each over the places of `count` tasks, one of which this task may run itself
  abandon_promise,  ///< a child takes the last promise handle and drops it: broken_promise
};

/// Joins what it makes, and `count` tasks of its own are numbered from its first one.
[[nodiscard]] constexpr bool has_elements(op what) noexcept {
  return what == op::loop || what == op::fold || what == op::pass_on || what == op::each_place;
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

/// The type of an exception: thrown, odd_thrown, one that no place but its own knows, or one of the standard library or Tactus.
enum class thrown_type : std::uint8_t { registered, odd, stranger, with_text, with_code, without_text };

/// The type of an async_future's value.
enum class value_kind : std::uint8_t { number, nothing, reference };

struct statement {
  op what{};
  asked_policy policy = asked_policy::none;
  on_throw reaction = on_throw::pass;
  baggage carries = baggage::little;
  value_kind value = value_kind::number;
  bool named = false;  ///< spawned with a name
  bool by_exception =
      false;  ///< set_promise, ask_foreign: set_exception; when_block: the condition throws; with_objects: constructors do
  statement_id next = k_none;   ///< the statement after this one in its block
  statement_id body = k_none;   ///< first statement of the inner block; k_none: empty
  statement_id other = k_none;  ///< handler of try_catch, destructor of with_guard
  slot_id slot = k_none;        ///< future, promise or cell; k_none: not bound, then the statement does nothing
  task_id first_task = k_none;  ///< the task it starts; for loop and fold the first of `count`
  task_id last_task = k_none;   ///< one past the last task made anywhere inside it
  std::uint16_t count = 0;      ///< elements of loop, fold, pass_on and line_up
  std::uint16_t grain = 0;      ///< of loop and fold; 0: the library chooses; producers of pass_on
  std::uint8_t domain = 0;      ///< of atomic blocks: domain_at()
  std::uint8_t hint = 0;        ///< of advance and of use_object: which of the three
  std::uint8_t wishes =
      0;  ///< spawns: on how many clocks the child is to be registered; misuse: which; use_object: at which place
  bool clocked = false;  ///< finish_block: finish(clocked, body), and `slot` is its clock
  bool all = false;      ///< spawns: phased_all; next_single: of all; look_at_sum: with scans; each_place: places()
  mode how = mode::signal_wait;         ///< make_phaser
  std::uint8_t bound = 0;               ///< make_phaser, 0: none; pass_on
  queue_at queue{};                     ///< line_up
  sum_kind adds = sum_kind::numbers;    ///< make_sum
  sum_way way = sum_way::dynamic_lazy;  ///< make_sum, make_phaser
  slot_id sum = k_none;                 ///< accumulator
  std::array<mode, 3> modes{};          ///< spawns: of the child on each phaser in `clocks`, in the order of bits
  bool inherits = false;                ///< spawns: the child has its parent's modes
  bool away = false;         ///< spawns: async_at and at_future, to the place of the child, which may be this one
  slot_id objects = k_none;  ///< place_local: with_objects makes it
  slot_id earlier = k_none;  ///< with_objects: a place_local that this task has ended before
  bool flexible = false;     ///< of away: first a task that may run anywhere, then its own, at its place
  slot_id awaits = k_none;   ///< when_block: the flag that it waits for
  std::uint16_t blocks = 0;  ///< when_block: how many blocks of its domain must have ended
  std::uint64_t clocks = 0;  ///< spawns: bit per clock that the child is registered on
};

}  // namespace oracle
