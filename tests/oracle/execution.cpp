// SPDX-License-Identifier: Apache-2.0
#include "execution.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace ts = tactus;

namespace oracle {
namespace {

std::atomic<std::int64_t> locals_made_and_alive{0};  // relaxed throughout: a count publishes nothing

// What each task keeps in its task_local: who it belongs to.
struct local_value {
  std::uint64_t owner = 0;
  local_value() { locals_made_and_alive.fetch_add(1, std::memory_order_relaxed); }
  local_value(const local_value&) = delete;
  local_value& operator=(const local_value&) = delete;
  ~local_value() { locals_made_and_alive.fetch_sub(1, std::memory_order_relaxed); }
};

ts::task_local<local_value> local_object;
ts::task_local<std::uint64_t> local_number;

// A closure that is too large for any place inside a task, and one that needs an alignment of its own.
constexpr std::size_t k_much = 300;
constexpr std::size_t k_alignment = 64;

constexpr bool odd(statement_id at) { return at % 4 == 3; }

// What goes on in a stuck program is told by these names.
const std::string& stuck_name(task_id id) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (unsigned i = 0; i < 1000; ++i) all.push_back("stuck-" + std::to_string(1000 + i));
    return all;
  }();
  return names[id];
}

std::uint64_t sum_of_leaves(const std::vector<std::exception_ptr>& all) {
  std::uint64_t sum = 0;
  for (const std::exception_ptr& e : all) {
    try {
      std::rethrow_exception(e);
    } catch (const ts::multiple_exceptions& inner) {
      sum += sum_of_leaves(inner.exceptions());
    } catch (const ts::deadlock_error&) {  // left out
    } catch (...) {
      sum += hash_of_current();
    }
  }
  return sum;
}

}  // namespace

std::uint64_t hash_of_current() {
  try {
    throw;
  } catch (const thrown& t) {
    return t.hash();
  } catch (const odd_thrown& t) {
    return t.hash;
  } catch (const ts::multiple_exceptions& m) {
    std::uint64_t sum = 0;
    for (const std::exception_ptr& e : m.exceptions()) {
      try {
        std::rethrow_exception(e);
      } catch (...) {
        sum += hash_of_current();
      }
    }
    return multiple_hash(sum, m.exceptions().size());
  } catch (const ts::deadlock_error&) {
    return k_deadlock_hash;
  } catch (const ts::broken_promise&) {
    return k_broken_hash;
  } catch (const ts::usage_error&) {
    return k_usage_hash;
  } catch (const ts::clock_use_error&) {
    return k_clock_use_hash;
  } catch (const ts::atomic_use_error&) {
    return k_atomic_use_hash;
  } catch (...) {
    return k_foreign_hash;
  }
}

std::int64_t execution::locals_alive() noexcept { return locals_made_and_alive.load(std::memory_order_relaxed); }

// Travels in every closure: tells when the captures are destroyed, and makes the closure move-only.
class execution::capture {
public:
  capture(execution* of, task_id id) noexcept : of_(of), id_(id) {}
  capture(capture&& other) noexcept : of_(std::exchange(other.of_, nullptr)), id_(other.id_) {}
  capture(const capture&) = delete;
  capture& operator=(const capture&) = delete;
  ~capture() {
    if (of_ != nullptr) of_->gone_[id_] = of_->program_->task_value(id_);
  }
  [[nodiscard]] execution& of() const noexcept { return *of_; }
  [[nodiscard]] task_id id() const noexcept { return id_; }

private:
  execution* of_;
  task_id id_;
};

template <class Result, std::size_t Bytes, std::size_t Align>
struct execution::closure {
  capture token;
  alignas(Align) std::array<std::uint8_t, Bytes> payload{};

  closure(execution* of, task_id id) : token(of, id) { payload.fill(static_cast<std::uint8_t>(id | 1u)); }

  Result operator()() {
    execution& e = token.of();
    const task_id id = token.id();
    const auto wanted = static_cast<std::uint8_t>(id | 1u);
    const bool whole = std::all_of(payload.begin(), payload.end(), [&](std::uint8_t b) { return b == wanted; });
    e.check(whole, id, "captured bytes", wanted, payload[0]);
    const auto misaligned = reinterpret_cast<std::uintptr_t>(payload.data()) % Align;
    e.check(misaligned == 0, id, "alignment of a closure", 0, misaligned);
    const std::uint64_t number = e.run_task(id, true, false);
    if constexpr (std::is_same_v<Result, std::uint64_t&>) {
      e.numbers_[id] = number;
      return e.numbers_[id];
    } else if constexpr (!std::is_void_v<Result>) {
      return number;
    }
  }
};

// A closure that the library may copy byte by byte, which opens the shortest way to a task on one clock.
struct execution::plain_closure {
  execution* of;
  task_id id;

  void operator()() const {
    struct leaving {
      const plain_closure& self;
      ~leaving() { self.of->gone_[self.id] = self.of->program_->task_value(self.id); }
    };
    const leaving at_the_end{*this};
    of->run_task(id, true, false);
  }
};

// A closure whose copy throws: the spawn must fail in the spawner, and nothing may run.
struct execution::unwilling {
  execution* of;
  statement_id at;

  unwilling(execution* e, statement_id where) noexcept : of(e), at(where) {}
  unwilling(const unwilling& other) : of(other.of), at(other.at) { of->throw_leaf(at); }
  unwilling(unwilling&&) noexcept = default;
  unwilling& operator=(const unwilling&) = delete;
  ~unwilling() = default;

  void operator()() const { of->differs(at, "a task whose closure could not be copied ran", 0, 1); }
};

// Runs statements in a destructor, during unwinding or not.
class execution::guard {
public:
  guard(execution& of, strand& self, statement_id at) noexcept
      : of_(of), self_(self), at_(at), uncaught_(std::uncaught_exceptions()) {}
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;

  ~guard() {
    const expectation& e = of_.program_->expected[at_];
    const int now = std::uncaught_exceptions();
    if ((now > uncaught_) != (e.exception != 0)) {
      of_.differs(at_, "uncaught exceptions in a destructor",
                  static_cast<std::uint64_t>(uncaught_) + (e.exception != 0 ? 1u : 0u),
                  static_cast<std::uint64_t>(now));
    }
    std::uint64_t second = 0;
    try {
      of_.block(self_, of_.program_->statements[at_].other);
    } catch (...) {
      second = hash_of_current();
    }
    if (second != e.second) of_.differs(at_, "exception of a destructor's block", e.second, second);
    if (std::uncaught_exceptions() != now) {
      of_.differs(at_, "uncaught exceptions after work in a destructor", static_cast<std::uint64_t>(now),
                  static_cast<std::uint64_t>(std::uncaught_exceptions()));
    }
  }

private:
  execution& of_;
  strand& self_;
  statement_id at_;
  int uncaught_;
};

// The time from the begin of a block's body to its end: nobody else may be inside.
class execution::inside {
public:
  inside(execution& of, strand& self, statement_id at)
      : in_(of.domains_[of.program_->statements[at].domain]), set_(of.program_->statements[at].slot) {
    if (in_.owner != nullptr && in_.owner != &self) of.differs(at, "tasks inside an atomic block", 1, 2);
    in_.owner = &self;
    ++in_.depth;
    in_.sum += of.program_->block_value(at);
    if (set_ != k_none) of.flags_[set_] = of.program_->flag_value(set_);
  }
  inside(const inside&) = delete;
  inside& operator=(const inside&) = delete;
  ~inside() {
    ++in_.blocks;
    if (--in_.depth == 0) in_.owner = nullptr;
  }

private:
  domain& in_;
  slot_id set_;
};

void execution::prepare(const program& p, foreign_thread* foreign) {
  program_ = &p;
  foreign_ = foreign;
  if (ran_.size() < p.statements.size()) ran_ = std::vector<std::atomic<std::uint8_t>>(2 * p.statements.size());
  if (entered_.size() < p.tasks.size()) entered_ = std::vector<std::atomic<std::uint8_t>>(2 * p.tasks.size());
  for (auto& r : ran_) r.store(0, std::memory_order_relaxed);      // nobody runs yet; starting the run publishes it
  for (auto& r : entered_) r.store(0, std::memory_order_relaxed);  // as above
  const std::size_t n = p.tasks.size();
  arguments_.assign(n, 0);
  done_.assign(n, 0);
  gone_.assign(n, 0);
  numbers_.assign(n, 0);
  before_set_.assign(p.promises, 0);
  cells_.assign(p.cells, 0);
  arguments_[0] = p.task_value(0);
  numbers_made_.assign(p.futures, {});
  nothings_made_.assign(p.futures, {});
  references_made_.assign(p.futures, {});
  for (unsigned i = 0; i < p.promises; ++i) {
    if ((p.external >> i & 1u) != 0)
      promises_.emplace_back(ts::external);
    else
      promises_.emplace_back();
    promised_.push_back(promises_.back().get_future());
  }
  if (p.stuck) never_.emplace_back();
  clocks_.assign(p.clocks, {});
  if (arrivals_.size() < p.arrivals.size()) arrivals_ = std::vector<std::atomic<std::uint16_t>>(p.arrivals.size());
  for (std::size_t i = 0; i < p.clocks * k_max_phases; ++i)
    arrivals_[i].store(0, std::memory_order_relaxed);  // as above
  for (domain& d : domains_) {
    d.owner = nullptr;
    d.depth = 0;
    d.sum = d.blocks = 0;
  }
  flags_.assign(p.flags, 0);
  ended_.store(false, std::memory_order_relaxed);  // as ran_
  found_ = {};
}

void execution::release() {
  numbers_made_.clear();
  nothings_made_.clear();
  references_made_.clear();
  promised_.clear();
  promises_.clear();
  never_.clear();
}

void execution::root() {
  const std::uint64_t mine = mix(program_->salt, 0);
  local_object->owner = mine;
  *local_number = mine;
  run_task(0, true, true);
}

void execution::run_in_task() {
  std::uint64_t exception = 0;
  try {
    ts::finish([this] { root(); });
  } catch (...) {
    exception = hash_of_current();
  }
  after(exception);
  look_at_futures();
  ended_.store(true, std::memory_order_relaxed);  // for the hang report only; the end of the run publishes the rest
}

void execution::run_as_root(ts::runtime& on) {
  std::uint64_t exception = 0;
  try {
    on.run([this] { root(); });
  } catch (...) {
    exception = hash_of_current();
  }
  after(exception);
  on.run([this] { look_at_futures(); });
  ended_.store(true, std::memory_order_relaxed);  // as above
}

void execution::run_until_stuck(ts::runtime& on) {
  try {
    on.run([this] { root(); });
    differs(k_none, "run returned from a deadlock", 1, 0);
  } catch (const ts::deadlock_error& e) {
    const std::uint64_t leaves = sum_of_leaves(e.exceptions());
    if (leaves != program_->stuck_leaves)
      differs(k_none, "what escaped beside the deadlock", program_->stuck_leaves, leaves);
    const std::string text = e.what();
    for (const task_id id : program_->stuck_tasks) {
      const statement_id maker = program_->tasks[id].maker;
      const bool named = maker != k_none && (program_->statements[maker].what == op::spawn ||
                                             program_->statements[maker].what == op::spawn_future);
      if (named && text.find(stuck_name(id)) == std::string::npos) differs(maker, "a stuck task is not named", id, 0);
    }
  } catch (...) {
    differs(k_none, "exception of a deadlock", k_deadlock_hash, hash_of_current());
  }
  on.run([this] { settle_promises(); });
  ended_.store(true, std::memory_order_relaxed);  // as above
}

// Compares what the whole program left behind.
void execution::after(std::uint64_t exception) {
  if (exception != program_->root_exception)
    differs(k_none, "exception at the root", program_->root_exception, exception);
  statement whole;
  whole.first_task = 0;
  whole.last_task = static_cast<task_id>(program_->tasks.size());
  settled(whole);
}

void execution::look_at_futures() {
  const program& p = *program_;
  for (slot_id slot = 0; slot < p.futures; ++slot) {
    const statement_id maker = p.future_maker[slot];
    const expectation& e = p.expected[maker];
    if (!e.runs || ran_[maker].load(std::memory_order_relaxed) == 0) continue;  // relaxed: the finish ordered it
    std::uint64_t exception = 0;
    std::uint64_t value = 0;
    try {
      value = get_future(slot, baggage::little);
    } catch (...) {
      exception = hash_of_current();
    }
    note(maker, exception, value);
  }
  for (statement_id at = 0; at < p.statements.size(); ++at) {  // also waits until the foreign thread has done its part
    const statement& s = p.statements[at];
    if ((s.what != op::set_promise && s.what != op::ask_foreign) || s.slot == k_none || !p.expected[at].runs) continue;
    if (ran_[at].load(std::memory_order_relaxed) == 0) continue;  // relaxed: as above
    std::uint64_t exception = 0;
    std::uint64_t value = 0;
    try {
      value = get_promise(s.slot);
    } catch (...) {
      exception = hash_of_current();
    }
    const std::uint64_t wanted = s.by_exception ? leaf_hash(p.salt, at) : 0;
    if (exception != wanted) differs(at, "exception of a promise", wanted, exception);
    if (exception == 0 && value != p.promise_value(s.slot))
      differs(at, "value of a promise", p.promise_value(s.slot), value);
  }
}

// After a deadlock: what nobody set or looked at would be told on stderr, and another run on this runtime must work.
void execution::settle_promises() {
  for (const auto& promise : promises_) {
    try {
      promise.set_value(0);
    } catch (const ts::usage_error&) {  // it has a value
    }
  }
  never_[0].set_value(0);
  look_at_futures();
}

verdict execution::judge() {
  const program& p = *program_;
  verdict v = found_;
  const auto count = [&](std::atomic<std::uint8_t>& c) -> unsigned {
    return c.load(std::memory_order_relaxed);
  };  // the run is over
  for (std::size_t i = 0; i < p.tasks.size(); ++i) {
    const unsigned n = count(entered_[i]);
    if (n < p.task_runs[i]) ++v.lost;
    if (n > p.task_runs[i]) ++v.doubled;
    if (n != p.task_runs[i] && v.what == nullptr) {
      v.what = "how often a task ran";
      v.where = p.tasks[i].maker;
      v.expected = p.task_runs[i];
      v.got = n;
    }
  }
  for (std::size_t i = 0; i < p.statements.size() && v.what == nullptr; ++i) {
    const unsigned n = count(ran_[i]);
    if (n == (p.expected[i].runs ? 1u : 0u)) continue;
    v.what = "how often a statement ran";
    v.where = static_cast<statement_id>(i);
    v.expected = p.expected[i].runs ? 1 : 0;
    v.got = n;
  }
  for (std::size_t i = 0; i < p.clocks * k_max_phases && v.what == nullptr; ++i) {
    const unsigned n = arrivals_[i].load(std::memory_order_relaxed);  // the run is over
    if (n == p.arrivals[i]) continue;
    v.what = "how many arrived at a clock in a phase";
    v.expected = p.arrivals[i];
    v.got = n;
  }
  for (unsigned d = 0; d < k_domains && v.what == nullptr; ++d) {
    if (domains_[d].sum == p.sums[d] && domains_[d].blocks == p.blocks[d]) continue;
    v.what = "the sum of a domain's atomic blocks";
    v.expected = p.sums[d];
    v.got = domains_[d].sum;
  }
  return v;
}

void execution::differs(statement_id at, const char* what, std::uint64_t expected, std::uint64_t got) {
  const std::lock_guard lock(mutex_);
  if (found_.what != nullptr) return;
  found_.what = what;
  found_.where = at;
  found_.expected = expected;
  found_.got = got;
}

void execution::check(bool right, task_id id, const char* what, std::uint64_t expected, std::uint64_t got) {
  if (!right) differs(program_->tasks[id].maker, what, expected, got);
}

void execution::note(statement_id at, std::uint64_t exception, std::uint64_t value) {
  const expectation& e = program_->expected[at];
  if (exception != e.exception)
    differs(at, "exception", e.exception, exception);
  else if (value != e.value)
    differs(at, "value", e.value, value);
}

// After a finish: every task that it joins has run to its end, and its captures are gone.
void execution::settled(const statement& s) {
  const program& p = *program_;
  for (task_id id = s.first_task; id < s.last_task; ++id) {
    if (p.task_runs[id] == 0) continue;
    const std::uint64_t wanted = p.task_value(id);
    check(done_[id] == wanted, id, "a task's end, seen after its finish", wanted, done_[id]);
    const statement_id maker = p.tasks[id].maker;
    if (maker == k_none || p.statements[maker].what == op::loop || p.statements[maker].what == op::fold) continue;
    check(gone_[id] == wanted, id, "the end of a task's captures, seen after its finish", wanted, gone_[id]);
  }
}

std::uint64_t execution::run_task(task_id id, bool own_task, bool local_is_set) {
  entered_[id].fetch_add(
      1, std::memory_order_relaxed);  // counts, and orders nothing: the plain cells are to be ordered by the library
  const std::uint64_t mine = program_->task_value(id);
  check(arguments_[id] == mine, id, "what the spawner wrote before the spawn", mine, arguments_[id]);
  check(done_[id] == 0, id, "a task's end, seen at its start", 0, done_[id]);
  if (own_task) {
    check(std::uncaught_exceptions() == 0, id, "uncaught exceptions at the start of a task", 0,
          static_cast<std::uint64_t>(std::uncaught_exceptions()));
    check(std::current_exception() == nullptr, id, "an exception is current at the start of a task", 0, 1);
  }
  struct leaving {  // on both ways out
    execution& of;
    task_id id;
    ~leaving() {
      of.done_[id] = of.program_->task_value(id);
      of.arrives(of.program_->leaves[id]);
    }
  };
  const leaving at_the_end{*this, id};
  strand self{id, mine, own_task, local_is_set};
  block(self, program_->tasks[id].body);
  return self.acc;
}

void execution::block(strand& self, statement_id first) {
  for (statement_id at = first; at != k_none; at = program_->statements[at].next) step(self, at);
}

void execution::step(strand& self, statement_id at) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  ran_[at].fetch_add(1, std::memory_order_relaxed);  // as entered_
  switch (s.what) {
    case op::write_cell:
      if (s.slot != k_none) cells_[s.slot] = p.cell_value(s.slot);
      break;
    case op::read_cell:
      if (s.slot != k_none && cells_[s.slot] != p.cell_value(s.slot))
        differs(at, "a cell written before", p.cell_value(s.slot), cells_[s.slot]);
      break;
    case op::touch_local: touch_local(self, at); break;
    case op::yield_now: ts::yield(); break;
    case op::get_future:
      if (s.slot != k_none) may_throw(self, at, [&] { return get_future(s.slot, s.carries); });
      break;
    case op::get_promise:
      if (s.slot != k_none) may_throw(self, at, [&] { return get_promise(s.slot); });
      break;
    case op::get_never: may_throw(self, at, [&] { return never_[0].get_future().get(); }); break;
    case op::set_promise:
    case op::ask_foreign:
      if (s.slot != k_none) set_promise(at);
      break;
    case op::set_again:
      if (s.slot == k_none) break;
      may_throw(self, at, [&] {
        promises_[s.slot].set_value(0);
        return std::uint64_t{0};
      });
      break;
    case op::throw_now: throw_leaf(at);
    case op::rethrow:
      if (std::current_exception() != nullptr) throw;
      differs(at, "the current exception is lost", 1, 0);
      break;
    case op::throwing_copy:
      may_throw(self, at, [&] {
        const unwilling f(this, at);
        if (s.clocks != 0) {
          with_clocks(s, [&](const auto& on) {
            with_attributes(s, [&](const auto&... attributes) { ts::async(on, attributes..., f); });
          });
        } else {
          with_attributes(s, [&](const auto&... attributes) { ts::async(attributes..., f); });
        }
        return std::uint64_t{0};
      });
      break;
    case op::when_never:
      may_throw(self, at, [&] {
        when_never(s);
        return std::uint64_t{0};
      });
      break;
    case op::make_clock:
    case op::resume_clock:
    case op::advance_clock:
    case op::drop_clock:
    case op::resume_all:
    case op::advance_all: clock_step(self, at); break;
    case op::misuse_clock:
      if (s.slot == k_none) break;
      may_throw(self, at, [&] {
        misuse_clock(at);
        return std::uint64_t{0};
      });
      break;
    case op::misuse_block:
      may_throw(self, at, [&] {
        misuse_block(at);
        return std::uint64_t{0};
      });
      break;
    case op::atomic_block:
    case op::when_block: in_block(self, at); break;
    case op::call: block(self, s.body); break;
    case op::finish_block: finish_block(self, at); break;
    case op::try_catch: attempt(self, at); break;
    case op::with_guard: guarded(self, at); break;
    case op::spawn: spawn(at); break;
    case op::spawn_future: spawn_future(at); break;
    case op::loop: loop(self, at); break;
    case op::fold: fold(self, at); break;
    case op::abandon_promise: abandon_promise(self, at); break;
  }
}

// Runs f, which gives a value or throws; compares, and reacts to an exception as the statement says.
template <class F>
void execution::may_throw(strand& self, statement_id at, F&& f) {
  const statement& s = program_->statements[at];
  const bool joins = s.what == op::finish_block || s.what == op::loop || s.what == op::fold;
  std::uint64_t value = 0;
  if (s.reaction == on_throw::pass) {
    value = std::forward<F>(f)();
  } else {
    try {
      value = std::forward<F>(f)();
    } catch (...) {
      const std::uint64_t exception = hash_of_current();
      note(at, exception, 0);
      if (joins) settled(s);
      if (s.reaction == on_throw::look_and_pass) throw;
      self.acc = mix(self.acc, exception);
      return;
    }
  }
  note(at, 0, value);
  if (joins) settled(s);
  self.acc = mix(self.acc, value);
}

std::uint64_t execution::get_future(slot_id slot, baggage form) {
  const program& p = *program_;
  const statement& maker = p.statements[p.future_maker[slot]];
  struct seen {  // after a get that gives or throws, the function has ended
    execution& of;
    task_id id;
    ~seen() { of.check(of.done_[id] != 0, id, "a function's end, seen after its future's get", 1, 0); }
  };
  const seen after_it{*this, maker.first_task};
  switch (maker.value) {
    case value_kind::nothing:
      if (form == baggage::little) {
        nothings_made_[slot].get();
      } else {
        const ts::future<void> mine = nothings_made_[slot];
        mine.get();
        if (!mine.ready()) differs(p.future_maker[slot], "a future is not ready after its get", 1, 0);
      }
      return p.task_value(maker.first_task);
    case value_kind::reference: {
      std::uint64_t& number = ts::future<std::uint64_t&>(references_made_[slot]).get();
      if (&number != &numbers_[maker.first_task]) differs(p.future_maker[slot], "the object of a reference", 1, 0);
      return number;
    }
    case value_kind::number: break;
  }
  switch (form) {
    case baggage::little: return numbers_made_[slot].get();
    case baggage::much: {
      const ts::future<std::uint64_t> mine = numbers_made_[slot];
      const std::uint64_t& number = mine.get();
      if (!mine.ready()) differs(p.future_maker[slot], "a future is not ready after its get", 1, 0);
      return number;
    }
    case baggage::aligned: break;
  }
  return ts::future<std::uint64_t>(numbers_made_[slot]).get();
}

std::uint64_t execution::get_promise(slot_id slot) {
  struct seen {
    execution& of;
    slot_id slot;
    ~seen() {
      const std::uint64_t wanted = of.program_->promise_value(slot);
      if (of.before_set_[slot] != wanted)
        of.differs(k_none, "what was written before a promise was set", wanted, of.before_set_[slot]);
    }
  };
  const seen after_it{*this, slot};
  const ts::future<std::uint64_t> mine = promised_[slot];
  return mine.get();
}

void execution::set_promise(statement_id at) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  before_set_[s.slot] = p.promise_value(s.slot);
  const auto fulfil = [promise = promises_[s.slot], value = p.promise_value(s.slot),
                       exception = s.by_exception ? leaf(at) : nullptr] {
    if (exception != nullptr)
      promise.set_exception(exception);
    else
      promise.set_value(value);
  };
  if (s.what == op::ask_foreign)
    foreign_->ask(fulfil);
  else
    fulfil();
}

void execution::touch_local(strand& self, statement_id at) {
  if (!self.own_task) return;
  const std::uint64_t mine = mix(program_->salt, self.id);
  const std::uint64_t wanted = self.local_is_set ? mine : 0;
  if (local_object->owner != wanted) differs(at, "an object in task_local", wanted, local_object->owner);
  if (*local_number != wanted) differs(at, "a number in task_local", wanted, *local_number);
  local_object->owner = mine;
  *local_number = mine;
  self.local_is_set = true;
}

void execution::finish_block(strand& self, statement_id at) {
  may_throw(self, at, [&] {
    const statement& s = program_->statements[at];
    const auto body = [&] {
      struct leaving {  // just before the clocks that were made in it are dropped
        execution& of;
        statement_id at;
        ~leaving() { of.arrives(of.program_->expected[at].arrives); }
      };
      const leaving at_the_end{*this, at};
      block(self, s.body);
      return self.acc;
    };
    const std::uint64_t given = s.clocked ? ts::finish(ts::clocked,
                                                       [&](ts::clock c) {
                                                         clocks_[s.slot] = c;
                                                         return body();
                                                       })
                                          : ts::finish(body);
    if (given != self.acc) differs(at, "the value of a finish", self.acc, given);
    return std::uint64_t{0};
  });
}

void execution::loop(strand& self, statement_id at) {
  const statement& s = program_->statements[at];
  for (int i = 0; i < s.count; ++i)
    arguments_[static_cast<std::size_t>(s.first_task + i)] =
        program_->task_value(static_cast<task_id>(s.first_task + i));
  const auto each = [this, first = s.first_task](int i) { run_task(static_cast<task_id>(first + i), true, false); };
  may_throw(self, at, [&] {
    if (s.grain == 0)
      ts::for_each(0, static_cast<int>(s.count), each);
    else
      ts::for_each(0, static_cast<int>(s.count), static_cast<int>(s.grain), each);
    return std::uint64_t{0};
  });
}

void execution::fold(strand& self, statement_id at) {
  const statement& s = program_->statements[at];
  for (int i = 0; i < s.count; ++i)
    arguments_[static_cast<std::size_t>(s.first_task + i)] =
        program_->task_value(static_cast<task_id>(s.first_task + i));
  const auto combine = [](affine f, affine g) { return f * g; };
  const auto one = [this, first = s.first_task](int i) {
    const auto id = static_cast<task_id>(first + i);
    run_task(id, false, false);
    return affine_of(program_->element_value(id));
  };
  may_throw(self, at, [&] {
    const affine all = s.grain == 0 ? ts::reduce(0, static_cast<int>(s.count), combine, one)
                                    : ts::reduce(0, static_cast<int>(s.count), static_cast<int>(s.grain), combine, one);
    return all.hash();
  });
}

// ---- clocks ----

// What nobody who leaves these phases may have missed.
void execution::arrives(const clock_steps& steps) {
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    arrivals_[std::size_t{step.clock} * k_max_phases + step.phase].fetch_add(1, std::memory_order_relaxed);  // a count
  }
}

void execution::passes(statement_id at) {
  const clock_steps& steps = program_->expected[at].passes;
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    const std::size_t which = std::size_t{step.clock} * k_max_phases + step.phase;
    const unsigned arrived = arrivals_[which].load(std::memory_order_relaxed);  // relaxed: the clock is to order it
    if (arrived != program_->arrivals[which])
      differs(at, "arrivals when a task passes on", program_->arrivals[which], arrived);
    const std::uint64_t phase = clocks_[step.clock]->phase();
    if (phase != step.phase + 1u) differs(at, "the phase after an advance", step.phase + 1u, phase);
  }
}

// Resuming does not move the task's phase.
void execution::stays(statement_id at) {
  const clock_steps& steps = program_->expected[at].arrives;
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    const std::uint64_t phase = clocks_[step.clock]->phase();
    if (phase != step.phase) differs(at, "the phase after a resume", step.phase, phase);
  }
}

void execution::clock_step(strand& self, statement_id at) {
  const statement& s = program_->statements[at];
  if (s.slot == k_none && s.what != op::resume_all && s.what != op::advance_all) return;
  const auto how = static_cast<ts::wait>(s.hint);
  may_throw(self, at, [&] {
    arrives(program_->expected[at].arrives);
    switch (s.what) {
      case op::make_clock: clocks_[s.slot] = ts::clock::make(); break;
      case op::resume_clock: clocks_[s.slot]->resume(how); break;
      case op::advance_clock: clocks_[s.slot]->advance(how); break;
      case op::drop_clock: clocks_[s.slot]->drop(); break;
      case op::resume_all: ts::resume_all(how); break;
      default: ts::advance_all(how); break;
    }
    return std::uint64_t{0};
  });
  if (s.what == op::advance_clock || s.what == op::advance_all)
    passes(at);
  else if (s.what == op::resume_clock || s.what == op::resume_all)
    stays(at);
  if (s.slot == k_none) return;
  const bool on = clocks_[s.slot]->registered();
  if (on != (s.what != op::drop_clock)) differs(at, "whether a task is registered", on ? 0 : 1, on ? 1 : 0);
}

void execution::misuse_clock(statement_id at) {
  const statement& s = program_->statements[at];
  const ts::clock& c = *clocks_[s.slot];
  switch (s.wishes) {
    case 0:
      ts::async(ts::clocked(c), [this, at] { differs(at, "a task that must not be registered ran", 0, 1); });
      break;
    case 1: c.advance(); break;
    default: c.resume(); break;
  }
  differs(at, "misuse of a clock is not noticed", 1, 0);
}

// Calls call(attribute) with the clocks that the statement's child is registered on.
template <class Call>
void execution::with_clocks(const statement& s, Call&& call) {
  std::array<const ts::clock*, 3> on{};
  std::size_t n = 0;
  for (std::size_t c = 0; c < clocks_.size() && n < on.size(); ++c) {
    if ((s.clocks >> c & 1u) != 0) on[n++] = &*clocks_[c];
  }
  switch (n) {
    case 1:
      if (s.carries == baggage::aligned)
        call(ts::clocked(*on[0], *on[0]));  // counts once
      else
        call(ts::clocked(*on[0]));
      break;
    case 2: call(ts::clocked(*on[0], *on[1])); break;
    default: call(ts::clocked(*on[0], *on[1], *on[2])); break;
  }
}

// ---- atomic blocks ----

void execution::misuse_block(statement_id at) {
  const auto nothing = [] {};
  switch (program_->statements[at].wishes) {
    case 0: ts::async(nothing); break;
    case 1: ts::finish(nothing); break;
    case 2: ts::yield(); break;
    case 3: ts::advance_all(); break;
    case 4: static_cast<void>(ts::clock::make()); break;
    case 5: ts::when([] { return true; }, nothing); break;
    case 6: static_cast<void>(ts::async_future(nothing)); break;
    default: ts::for_each(0, 2, [](int) {}); break;
  }
  differs(at, "misuse of an atomic block is not noticed", 1, 0);
}

void execution::in_block(strand& self, statement_id at) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  domain& d = domains_[s.domain];
  const auto body = [&] {
    const inside here(*this, self, at);
    block(self, s.body);
    return p.block_value(at);
  };
  const auto holds = [&] {
    if (self.own_task && self.local_is_set && *local_number != mix(p.salt, self.id))
      differs(at, "a number in task_local, seen by a condition", mix(p.salt, self.id), *local_number);
    if (d.depth != 0) differs(at, "tasks inside a block while a condition is asked", 0, d.depth);
    const bool now = (s.awaits == k_none || flags_[s.awaits] != 0) && d.blocks >= s.blocks;
    if (now && s.by_exception) throw_leaf(at);
    return now;
  };
  may_throw(self, at, [&] {
    const std::uint64_t value = s.what == op::when_block
                                    ? (s.domain == 0 ? ts::when(holds, body) : d.lock.when(holds, body))
                                    : (s.domain == 0 ? ts::atomic(body) : d.lock.atomic(body));
    if (s.awaits != k_none && flags_[s.awaits] != p.flag_value(s.awaits))
      differs(at, "a flag that a condition has seen", p.flag_value(s.awaits), flags_[s.awaits]);
    return value;
  });
}

void execution::when_never(const statement& s) {
  const auto never = [] { return false; };
  const auto nothing = [] {};
  if (s.domain == 0)
    ts::when(never, nothing);
  else
    domains_[s.domain].lock.when(never, nothing);
}

void execution::attempt(strand& self, statement_id at) {
  const statement& s = program_->statements[at];
  const int uncaught = std::uncaught_exceptions();
  try {
    block(self, s.body);
  } catch (...) {
    const std::uint64_t exception = hash_of_current();
    note(at, exception, 0);
    self.acc = mix(self.acc, exception);
    const std::exception_ptr current = std::current_exception();
    block(self, s.other);
    if (std::current_exception() != current) differs(at, "the current exception after work in a handler", 1, 0);
    if (std::uncaught_exceptions() != uncaught) {
      differs(at, "uncaught exceptions after work in a handler", static_cast<std::uint64_t>(uncaught),
              static_cast<std::uint64_t>(std::uncaught_exceptions()));
    }
    return;
  }
  note(at, 0, 0);
}

void execution::guarded(strand& self, statement_id at) {
  const guard later(*this, self, at);
  block(self, program_->statements[at].body);
}

// Calls call(attribute...) with what the statement asks for.
template <class Call>
void execution::with_attributes(const statement& s, Call&& call) {
  const auto with_name = [&](const auto&... policy) {
    if (program_->stuck && s.first_task != k_none)
      call(policy..., ts::named(stuck_name(s.first_task).c_str()));
    else if (s.named)
      call(ts::named("random task"), policy...);
    else
      call(policy...);
  };
  switch (s.policy) {
    case asked_policy::none: with_name(); break;
    case asked_policy::work_first: with_name(ts::spawn_policy::work_first); break;
    case asked_policy::help_first: with_name(ts::spawn_policy::help_first); break;
  }
}

template <class Result, class Call>
void execution::with_closure(const statement& s, Call&& call) {
  arguments_[s.first_task] = program_->task_value(s.first_task);
  switch (s.carries) {
    case baggage::little: call(closure<Result, 8, 8>(this, s.first_task)); break;
    case baggage::much: call(closure<Result, k_much, 8>(this, s.first_task)); break;
    case baggage::aligned: call(closure<Result, 8, k_alignment>(this, s.first_task)); break;
  }
}

void execution::spawn(statement_id at) {
  const statement& s = program_->statements[at];
  if (s.clocks != 0 && s.carries == baggage::little) {
    arguments_[s.first_task] = program_->task_value(s.first_task);
    const plain_closure f{this, s.first_task};
    with_clocks(s, [&](const auto& on) {
      if (s.policy == asked_policy::none && !s.named && !program_->stuck)
        ts::async(on, f);
      else
        with_attributes(s, [&](const auto&... attributes) { ts::async(attributes..., on, f); });
    });
    return;
  }
  if (s.clocks != 0) {
    arguments_[s.first_task] = program_->task_value(s.first_task);
    closure<void, k_much, 8> f(this, s.first_task);
    with_clocks(s, [&](const auto& on) {
      with_attributes(s, [&](const auto&... attributes) { ts::async(on, attributes..., std::move(f)); });
    });
    return;
  }
  with_closure<void>(s, [&](auto&& f) {
    with_attributes(s, [&](const auto&... attributes) { ts::async(attributes..., std::forward<decltype(f)>(f)); });
  });
}

template <class Result>
ts::future<Result> execution::make_future(statement_id at) {
  const statement& s = program_->statements[at];
  ts::future<Result> made;
  with_closure<Result>(s, [&](auto&& f) {
    with_attributes(
        s, [&](const auto&... attributes) { made = ts::async_future(attributes..., std::forward<decltype(f)>(f)); });
  });
  return made;
}

void execution::spawn_future(statement_id at) {
  const statement& s = program_->statements[at];
  if (s.clocks != 0) {
    arguments_[s.first_task] = program_->task_value(s.first_task);
    closure<std::uint64_t, 8, 8> f(this, s.first_task);
    with_clocks(s, [&](const auto& on) {
      with_attributes(s, [&](const auto&... attributes) {
        numbers_made_[s.slot] = ts::async_future(on, attributes..., std::move(f));
      });
    });
    return;
  }
  switch (s.value) {
    case value_kind::number: numbers_made_[s.slot] = make_future<std::uint64_t>(at); break;
    case value_kind::nothing: nothings_made_[s.slot] = make_future<void>(at); break;
    case value_kind::reference: references_made_[s.slot] = make_future<std::uint64_t&>(at); break;
  }
}

void execution::abandon_promise(strand& self, statement_id at) {
  const statement& s = program_->statements[at];
  arguments_[s.first_task] = program_->task_value(s.first_task);
  std::optional<ts::promise<std::uint64_t>> last(std::in_place);
  const ts::future<std::uint64_t> broken = last->get_future();
  auto child = [token = capture(this, s.first_task), promise = std::move(*last)] {
    token.of().run_task(token.id(), true, false);
  };
  last.reset();
  with_attributes(s, [&](const auto&... attributes) { ts::async(attributes..., std::move(child)); });
  may_throw(self, at, [&] { return broken.get(); });
}

std::exception_ptr execution::leaf(statement_id at) const {
  const std::uint64_t hash = leaf_hash(program_->salt, at);
  return odd(at) ? std::make_exception_ptr(odd_thrown{hash}) : std::make_exception_ptr(thrown(hash));
}

void execution::throw_leaf(statement_id at) const {
  const std::uint64_t hash = leaf_hash(program_->salt, at);
  if (odd(at)) throw odd_thrown{hash};
  throw thrown(hash);
}

}  // namespace oracle
