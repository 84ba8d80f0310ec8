// SPDX-License-Identifier: Apache-2.0
// Runs one program on the library and compares all that it sees with what the interpreter expects.
// The checks are counters, plain cells and values, never time. The plain cells are written by the predecessor and read by
// the successor of each edge that the model promises (spawn before child, child before the end of its finish, set before
// get, task before its future's get, resume before advance, block before block), so a missing edge is a wrong value here and a race for ThreadSanitizer.
#pragma once

#include <tactus/tactus.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "board.hpp"
#include "foreign_thread.hpp"
#include "program.hpp"
#include "thrown.hpp"

namespace oracle {

/// The function of the monoid of maps.
struct compose {
  affine operator()(affine f, affine g) const noexcept { return f * g; }
};

/// How a run went against the expectations.
struct verdict {
  unsigned lost = 0;            ///< tasks that should have run and did not
  unsigned doubled = 0;         ///< tasks that ran more often than they should
  const char* what = nullptr;   ///< the first thing that differed; null: nothing
  statement_id where = k_none;  ///< at which statement; k_none: at the root
  std::uint64_t expected = 0;   ///< a value, a count or the hash of an exception, as `what` says
  std::uint64_t got = 0;
  [[nodiscard]] bool good() const noexcept { return what == nullptr; }
};

/// What goes wrong on purpose, to see that it is noticed: with one of a thousand tasks and bodies of at() that have come by async_at,
/// at_future and at.
enum class fault : std::uint8_t { none, lost, doubled };
void plant(fault f) noexcept;

class execution {
public:
  execution();
  ~execution();
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;

  /// Makes ready for one run of `p`, which must outlive it. Not while a run is going on.
  void prepare(const program& p, foreign_thread* foreign);

  /// Runs the program in a finish of its own. Call from a task.
  void run_in_task();
  /// Runs the program as the root of a run: its exceptions leave run().
  void run_as_root(tactus::runtime& on);
  /// The same for a program made to be stuck: run() must throw deadlock_error.
  void run_until_stuck(tactus::runtime& on);

  /// After the run: counts what ran.
  [[nodiscard]] verdict judge();
  /// Whether the run came to its end; may be asked at any time from any thread.
  [[nodiscard]] bool ended() const noexcept { return ended_.load(std::memory_order_relaxed); }
  [[nodiscard]] const program& what() const noexcept { return *program_; }
  /// Lets go of futures and promises. From any thread.
  void release();

  /// How many task_local objects of all programs are alive.
  [[nodiscard]] static std::int64_t locals_alive() noexcept;

private:
  struct continuation {  // the part of a program that one task runs
    task_id id;
    std::uint64_t acc;
    bool own_task;      // false in an element of a fold: whether that is a task of its own is not promised
    bool local_is_set;  // task_local has been touched
  };
  class capture;
  class guard;
  template <class Result, std::size_t Bytes, std::size_t Align>
  struct closure;
  struct unwilling;
  struct plain_closure;
  class inside;

  // execution.cpp
  [[nodiscard]] static execution& numbered(std::uint16_t number);
  [[nodiscard]] std::uint64_t externals_here() const;
  [[nodiscard]] bool is_of_this_process(statement_id at) const;
  void root();
  void after(std::uint64_t exception);
  void note(statement_id at, std::uint64_t exception, std::uint64_t value);
  void settled(const statement& s);
  void differs(statement_id at, const char* what, std::uint64_t expected, std::uint64_t got);
  void check(bool right, task_id id, const char* what, std::uint64_t expected, std::uint64_t got);

  // execution_reactions.hpp
  template <class F>
  void may_throw(continuation& self, statement_id at, F&& f);
  template <class F>
  void finish_with(continuation& self, statement_id at, F&& f);

  // execution_steps.cpp
  std::uint64_t run_task(task_id id, bool own_task, bool local_is_set);
  void block(continuation& self, statement_id first);
  void step(continuation& self, statement_id at);
  void finish_block(continuation& self, statement_id at);
  void loop(continuation& self, statement_id at);
  void fold(continuation& self, statement_id at);

  // execution_streams.cpp
  class stream_in_use;
  void pass_on(continuation& self, statement_id at);

  // execution_spawns.cpp
  [[nodiscard]] static const std::string& stuck_name(task_id id);
  template <class Call>
  void with_attributes(const statement& s, Call&& call);
  template <class Call>
  void with_clocks(const statement& s, Call&& call);
  template <class Result, class Call>
  void with_closure(const statement& s, Call&& call);
  void spawn(statement_id at);
  void throwing_copy(continuation& self, statement_id at);
  template <class Result>
  tactus::future<Result> make_future(statement_id at);
  void spawn_future(statement_id at);
  void abandon_promise(continuation& self, statement_id at);

  // execution_places.cpp
  struct parcel;
  template <class Result>
  struct away_body;
  struct flexible_body;
  struct carrying_body;
  template <class Call>
  decltype(auto) with_arguments(const statement& s, Call&& call);
  template <class Result, class Call>
  decltype(auto) with_flexible_body(const statement& s, Call&& call);
  void spawn_away(statement_id at);
  template <class Result>
  tactus::future<Result> make_future_away(statement_id at);
  void spawn_future_away(statement_id at);
  void at_place(continuation& self, statement_id at);

  // execution_each.cpp
  struct each_body;
  void each_place(continuation& self, statement_id at);

  // execution_objects.cpp
  class keepsake;
  struct adding_task;
  struct taking_name;
  struct life {  // of an object: plain, for tasks that are ordered write them
    unsigned made = 0;
    unsigned ended = 0;
    unsigned followed = 0;  // by the task that its end has spawned
  };
  [[nodiscard]] life& life_of(slot_id slot, unsigned place);
  void with_objects(continuation& self, statement_id at);
  void use_object(continuation& self, statement_id at);
  void misuse_object(continuation& self, statement_id at);
  void judge_objects(verdict& v);

  // execution_futures.cpp
  std::uint64_t get_future(slot_id slot, baggage form);
  std::uint64_t get_promise(slot_id slot);
  struct look;
  std::uint64_t look_there(statement_id at, slot_id slot, bool is_promise) const;
  void set_promise(statement_id at);
  void look_at_futures();
  void settle_promises();

  // execution_clocks.cpp
  void arrives(const clock_steps& steps);
  void goes(statement_id at);
  void passes(statement_id at);
  void stays(statement_id at);
  void resume_everywhere(statement_id at);
  void clock_step(continuation& self, statement_id at);
  void misuse_clock(statement_id at);

  // execution_phasers.cpp
  [[nodiscard]] std::uint64_t phase_at(slot_id clock) const;
  [[nodiscard]] bool is_registered(slot_id clock) const;
  void look_at_single(statement_id at, std::size_t which);
  void look_at_room(statement_id at, const oracle::clock_step& step);
  void make_phaser(statement_id at);
  void next_single(continuation& self, statement_id at);
  void body_of_single(const continuation& self, statement_id at, std::uint64_t phase);
  void make_sum(statement_id at);
  void send_to_sum(statement_id at);
  [[nodiscard]] std::uint64_t look_at_sum(statement_id at) const;
  void misuse_phaser(statement_id at);

  // execution_blocks.cpp
  void misuse_block(statement_id at);
  void in_block(continuation& self, statement_id at);
  void when_never(const statement& s);

  // execution_lines.cpp
  void line_up(continuation& self, statement_id at);

  // execution_exceptions.cpp
  [[nodiscard]] std::exception_ptr leaf(statement_id at) const;
  [[noreturn]] void throw_leaf(statement_id at) const;
  void attempt(continuation& self, statement_id at);
  void guarded(continuation& self, statement_id at);

  // execution_locals.cpp
  void touch_local(continuation& self, statement_id at);

  const program* program_ = nullptr;
  foreign_thread* foreign_ = nullptr;
  const std::uint16_t number_;                    // names it at every rank
  board board_;                                   // what every rank sees; the rest is of this process
  std::vector<std::uint8_t> place_of_statement_;  // where there are several places
  // Plain on purpose, as what is on the board.
  std::vector<std::uint64_t> numbers_;                       // per task: what a future of a reference refers to
  std::vector<std::uint64_t> carried_;                       // per task: an object that what goes before it takes along
  std::vector<std::uint64_t> before_set_;                    // per promise, before it is set
  std::vector<tactus::future<std::uint64_t>> numbers_made_;  // per future slot; one of three is used
  std::vector<tactus::future<void>> nothings_made_;
  std::vector<tactus::future<std::uint64_t&>> references_made_;
  std::vector<tactus::promise<std::uint64_t>> promises_;
  std::vector<tactus::future<std::uint64_t>> promised_;
  std::vector<tactus::promise<std::uint64_t>> never_;
  std::vector<std::optional<tactus::clock>> clocks_;
  std::vector<std::optional<tactus::phaser>> phasers_;
  std::vector<std::optional<tactus::accumulator<std::uint64_t, tactus::op>>> number_sums_;  // by accumulator
  std::vector<std::optional<tactus::accumulator<affine, compose>>> map_sums_;
  std::vector<std::uint64_t> singles_wrote_;        // plain, too
  std::vector<std::atomic<std::uint16_t>> goings_;  // as program::goings
  struct domain {                                   // of atomic blocks; plain, for they exclude each other
    tactus::monitor lock;                           // unused where the place's is meant
    const continuation* owner = nullptr;
    unsigned depth = 0;
    std::uint64_t sum = 0;
    std::uint64_t blocks = 0;
  };
  std::array<domain, k_domains * k_max_places> domains_;
  std::vector<std::uint64_t> flags_;                      // by the block that sets it
  std::vector<std::atomic<std::uint8_t>> claimed_;        // per task that is a call of at_each
  std::vector<life> lives_;                               // per place_local and place
  std::vector<tactus::place_local_ref<keepsake>> names_;  // per place_local
  std::atomic<bool> ended_{false};
  std::mutex mutex_;  // protects found_
  verdict found_;
};

}  // namespace oracle
