// SPDX-License-Identifier: Apache-2.0
// Runs a program one step at a time, in one thread, with none of the library: the oracle.
// In its first run it also binds slots: a get takes a future that is known here (its making happens before) and done, a
// read takes a cell whose write happens before. So the run itself is a schedule without deadlock; and since every slot is
// written once and waits only for such slots and for finishes, every other schedule ends too, with the same outcome.
// So it is with clocks and conditions: a phase that has turned stays so, and conditions only ever become true. Where the first
// run comes to a stop at clocks, one of the tasks that wait makes its arrival a mere resume, for good.
// Phasers are clocks on which phases are counted by each task, and where a bound lets a signal wait: for all signals of a statement
// together here, so that the library, which gives them one by one, comes at least as far.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "generator.hpp"
#include "program.hpp"

namespace oracle {

/// What happens before here: bits for futures made, promises set, cells written and accumulators made.
struct knowledge {
  static constexpr unsigned k_promise_at = k_max_futures;
  static constexpr unsigned k_cell_at = k_promise_at + k_max_promises;
  static constexpr unsigned k_sum_at = k_cell_at + k_max_cells;
  std::array<std::uint64_t, 5> words{};

  void learn(unsigned bit) noexcept { words[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  void merge(const knowledge& other) noexcept {
    for (unsigned i = 0; i < words.size(); ++i) words[i] |= other.words[i];
  }
};
static_assert(knowledge::k_sum_at + k_max_accumulators == 320);

class interpreter {
public:
  /// Binds the slots of a freshly generated program and fills in its expectations.
  void bind(program& p);

  /// Runs a bound program under another schedule; empty if it comes to the same expectations, else what differs.
  [[nodiscard]] std::string confirm(const program& p, std::uint64_t schedule);

  /// The exception of that hash in the last run, as text: `{3 {5 deadlock}}`.
  [[nodiscard]] std::string name_of(std::uint64_t exception_hash) const;

private:
  static constexpr std::uint32_t k_nobody = 0xffffffffu;

  enum class where : std::uint8_t {
    task_body,
    plain,
    finish_body,
    try_body,
    handler,
    guard_body,
    guard_run,
    block_body
  };
  enum class made_as : std::uint8_t { root, async_task, future_task, element, producer, at_body };

  struct raised {  // an exception; index 0 stands for none
    std::uint64_t hash = 0;
    std::uint64_t leaves = 0;  // sum of the leaves' hashes, deadlock errors left out
    statement_id leaf = k_none;
    std::uint32_t first_element = 0;  // of a multiple_exceptions, in collected_
  };
  struct collected {
    std::uint32_t exception = 0;
    std::uint32_t next = 0;
  };
  struct frame {
    where kind{};
    statement_id owner = k_none;
    statement_id pc = k_none;
    std::uint32_t exception = 0;  // being handled, or going on after a guard
    std::uint32_t scope = 0;      // finish_body: of the finish around
    std::uint32_t below = 0;
    bool waiting = false;  // finish_body: the body is through
  };
  struct member {  // a continuation's registration on a clock
    slot_id clock = 0;
    mode how = mode::signal_wait;
    std::uint64_t signals = 0;
    std::uint64_t waits = 0;
    std::uint32_t within = k_nobody;   // the finish that its children must be joined by
    std::uint32_t made_in = k_nobody;  // the finish with whose body it ends
    std::uint32_t rank = k_nobody;     // of the maker and those whom it registers: in which order
    [[nodiscard]] bool arrived() const noexcept { return may_signal(how) && may_wait(how) && signals > waits; }
  };
  struct timer {                         // a clock or a phaser
    std::uint64_t phase = 0;             // the first that somebody has still to signal
    std::uint32_t registered = 0;        // who may signal
    std::uint32_t ranks = 0;             // given so far
    std::uint64_t passed = 0;            // phases that somebody has passed
    std::vector<std::uint32_t> missing;  // per phase: who has it to signal next
    std::vector<std::uint32_t> waiting;  // per phase: who has it to wait for next
    std::vector<knowledge> known;        // per phase: of those who have signalled it
    [[nodiscard]] bool turned(std::uint64_t p) const noexcept { return registered == 0 || phase > p; }
  };
  struct sent {
    std::uint64_t phase = 0;
    std::uint32_t rank = k_nobody;
    std::uint64_t value = 0;
  };
  struct continuation {
    task_id id = 0;
    made_as kind{};
    bool ready = false;
    std::uint8_t patience = 3;
    std::uint32_t top = 0;
    std::uint32_t scope = 0;
    std::uint64_t acc = 0;
    knowledge known{};
    statement_id blocked_on = k_none;
    std::uint32_t joins = k_nobody;      // abandon_promise: the child that holds the promise; at_place: the body
    std::uint32_t joined_by = k_nobody;  // the reverse
    std::uint32_t exception = 0;         // at_body: what has left it
    std::uint32_t folder = k_nobody;     // of an element of a reduce: who waits for it
    bool doomed = false;                 // its wait ends in deadlock_error
    bool halfway = false;                // it has given the signals of the statement at which it waits
    std::uint64_t dropped = 0;           // clocks that it has dropped
    std::vector<member> members;
  };
  struct scope {
    std::uint32_t pending = 0;
    std::uint32_t waiter = k_nobody;
    std::uint32_t first_exception = 0;
    std::uint64_t sum = 0;
    std::uint64_t leaves = 0;
    std::uint64_t count = 0;
    knowledge known{};
  };
  struct result {  // of a future or promise slot
    bool done = false;
    std::uint32_t exception = 0;
    std::uint64_t value = 0;
    knowledge known{};
  };

  // interpreter.cpp
  void run(program& p, std::uint64_t schedule, bool binding);
  void reset();
  bool step(std::uint32_t who);
  void push(continuation& s, where kind, statement_id owner, statement_id first);
  void pop(continuation& s) { s.top = frames_[s.top].below; }
  std::uint32_t start(task_id id, made_as kind, std::uint32_t in_scope, const knowledge& known);
  void start_fold_element(std::uint32_t folder, task_id id, std::uint32_t in_scope);
  void make_ready(std::uint32_t who);
  void wake_blocked();
  [[nodiscard]] bool may_go_on(std::uint32_t who);
  void give_up();

  // interpreter_steps.cpp
  bool execute(std::uint32_t who, statement_id at);
  bool bind_in_time(std::uint32_t who, statement& st);
  [[nodiscard]] bool is_there(const statement& st) const;
  bool stop_at(std::uint32_t who, statement_id at);
  bool end_in_deadlock(std::uint32_t who, statement_id at);
  void execute_step(std::uint32_t who, statement_id at);
  void get(std::uint32_t who, statement_id at, const result& r);
  void set_promise(continuation& s, statement_id at);
  void raise(std::uint32_t who, statement_id at, std::uint32_t exception);
  void outcome(continuation& s, statement_id at, std::uint32_t exception, std::uint64_t value);
  void execute_block(std::uint32_t who, statement_id at);
  void enter_finish(continuation& s, statement_id at, statement_id body);
  [[nodiscard]] bool condition_holds(const statement& st) const;
  void end_of_atomic(std::uint32_t who, std::uint32_t exception);
  void execute_spawn(std::uint32_t who, statement_id at);
  void execute_loop(std::uint32_t who, statement_id at);
  void execute_fold(std::uint32_t who, statement_id at);
  void execute_stream(std::uint32_t who, statement_id at);
  void end_of_producer(const continuation& s, bool threw);
  void abandon_promise(std::uint32_t who, statement_id at);
  void start_joined(std::uint32_t who, statement_id at, made_as kind);

  // interpreter_places.cpp
  void execute_at(std::uint32_t who, statement_id at);
  void execute_each(std::uint32_t who, statement_id at);
  void make_objects(std::uint32_t who, statement_id at);
  void use_object(continuation& s, statement_id at);

  // interpreter_ends.cpp
  void end_of_block(std::uint32_t who);
  void end_of_task(std::uint32_t who, std::uint32_t exception);
  void end_of_finish(std::uint32_t who);
  void fail(std::uint32_t who, std::uint32_t exception);
  std::uint32_t leaf(statement_id at);
  std::uint32_t special(std::uint64_t hash);
  std::uint32_t multiple(const scope& s);
  void collect(scope& s, std::uint32_t exception);
  void text_of(std::uint32_t exception, std::string& out) const;

  // interpreter_clocks.cpp
  [[nodiscard]] bool execute_clock(std::uint32_t who, statement_id at);
  void make_clock(continuation& s, slot_id clock, mode how);
  [[nodiscard]] static bool concerns(const statement& st, const member& m);
  [[nodiscard]] bool has_room(const member& m) const;
  [[nodiscard]] bool may_signal_all(const continuation& s, const statement& st) const;
  [[nodiscard]] bool may_pass_all(const continuation& s, const statement& st) const;
  void arrive(continuation& s, member& m, clock_steps& into, bool goes_on);
  void pass(continuation& s, member& m, clock_steps& into);
  void leave(const member& m, clock_steps& into);
  void leave_made_in(continuation& s, std::uint32_t finish, clock_steps& into);
  void record(const clock_step& step, clock_steps& into);
  void settle_singles();
  void turn(slot_id clock);
  void register_child(std::uint32_t parent, std::uint32_t child, const statement& st);
  [[nodiscard]] static const member* member_of(const continuation& s, slot_id clock);
  [[nodiscard]] bool give_way_at_a_clock();
  /// Where program counts what comes in a phase of a clock.
  [[nodiscard]] static constexpr std::size_t count_of(slot_id clock, std::uint64_t phase) noexcept {
    return std::size_t{clock} * k_max_phases + static_cast<std::size_t>(phase);
  }

  // interpreter_sums.cpp
  void make_sum(continuation& s, slot_id sum);
  void send(const continuation& s, statement_id at);
  [[nodiscard]] std::uint64_t numbers_in(slot_id sum, std::uint64_t phase, std::uint32_t below) const;
  [[nodiscard]] affine maps_in(slot_id sum, std::uint64_t phase, std::uint32_t below) const;
  [[nodiscard]] std::uint64_t look(const continuation& s, const statement& st) const;

  // interpreter_bindings.cpp
  void bind_slot(const continuation& s, statement& st);
  void bind_clocks(const continuation& s, statement& st);
  void bind_to_clock(const continuation& s, statement& st);
  void bind_single(const continuation& s, statement& st);
  void bind_sum(const continuation& s, statement& st);
  void bind_misuse(const continuation& s, statement& st);
  [[nodiscard]] slot_id any_bit(std::uint64_t mask);
  [[nodiscard]] unsigned place_of(const continuation& s) const { return program_->tasks[s.id].place; }

  [[nodiscard]] expectation& expect(statement_id at) { return program_->expected[at]; }

  program* program_ = nullptr;
  bool binding_ = false;
  bool dead_ = false;
  random_stream random_{0};
  std::vector<continuation> strands_;
  std::vector<frame> frames_;
  std::vector<scope> scopes_;
  std::vector<raised> raised_;
  std::vector<collected> collected_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> blocked_;
  std::vector<std::uint32_t> producers_;  // per statement: of a pass_on, those that have not ended
  std::array<result, k_max_futures> futures_;
  std::array<result, k_max_promises> promises_;
  std::array<timer, k_max_clocks> clocks_;
  std::array<std::vector<sent>, k_max_accumulators> sent_;
  std::array<result, k_max_flags> flags_;
  std::array<std::uint64_t, k_domains * k_max_places> flags_done_{};
  std::array<std::uint64_t, k_max_places> futures_at_{};  // bit per slot that is of that place
  std::array<std::uint64_t, k_max_places> promises_at_{};
  std::uint64_t futures_done_ = 0;
  std::uint64_t promises_done_ = 0;
  program other_;
};

/// generate() and bind(), again until at least options.min_tasks tasks run (a throw may skip most of a program).
/// Stuck programs: until at least one task is stuck.
void make(std::uint64_t seed, const generator_options& options, interpreter& with, program& out);

}  // namespace oracle
