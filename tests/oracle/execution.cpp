// SPDX-License-Identifier: Apache-2.0
// A run from its preparation to its verdict.
#include "execution.hpp"
#include "execution_locals.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace ts = tactus;

namespace oracle {
namespace {

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

// By number, the same at all ranks: each makes as many, one after the other.
std::array<std::atomic<execution*>, 128> g_executions{};

std::uint16_t take_number(execution* e) {
  for (std::size_t i = 0; i < g_executions.size(); ++i) {
    execution* free = nullptr;
    if (g_executions[i].compare_exchange_strong(free, e)) return static_cast<std::uint16_t>(i);
  }
  throw std::length_error("too many programs at once");
}

}  // namespace

execution::execution() : number_(take_number(this)), board_(number_) {}

execution::~execution() { g_executions[number_].store(nullptr); }

execution& execution::numbered(std::uint16_t number) { return *g_executions[number].load(); }

void execution::prepare(const program& p, foreign_thread* foreign) {
  program_ = &p;
  foreign_ = foreign;
  board_.lay_out(p);  // nobody runs yet; starting the run publishes it
  if (p.places > 1) place_of_statement_ = places_of_statements(p);
  numbers_.assign(p.tasks.size(), 0);
  carried_.assign(p.tasks.size(), 0);
  before_set_.assign(p.promises, 0);
  board_.arguments[0] = p.task_value(0);
  numbers_made_.assign(p.futures, {});
  nothings_made_.assign(p.futures, {});
  references_made_.assign(p.futures, {});
  const std::uint64_t external = externals_here();
  for (unsigned i = 0; i < p.promises; ++i) {
    if ((external >> i & 1u) != 0)
      promises_.emplace_back(ts::external);
    else
      promises_.emplace_back();
    promised_.push_back(promises_.back().get_future());
  }
  if (p.stuck) never_.emplace_back();
  clocks_.assign(p.clocks, {});
  phasers_.assign(p.clocks, {});
  number_sums_.assign(p.sum_maker.size(), {});
  map_sums_.assign(p.sum_maker.size(), {});
  singles_wrote_.assign(std::size_t{p.clocks} * k_max_phases, 0);
  if (goings_.size() < p.arrivals.size()) goings_ = std::vector<std::atomic<std::uint16_t>>(p.arrivals.size());
  for (std::size_t i = 0; i < p.clocks * k_max_phases; ++i) goings_[i].store(0, std::memory_order_relaxed);  // as above
  for (domain& d : domains_) {
    d.owner = nullptr;
    d.depth = 0;
    d.sum = d.blocks = 0;
  }
  flags_.assign(p.flags, 0);
  if (claimed_.size() < p.tasks.size()) claimed_ = std::vector<std::atomic<std::uint8_t>>(p.tasks.size());
  for (auto& c : claimed_) c.store(0, std::memory_order_relaxed);  // as above
  lives_.assign(std::size_t{p.objects} * p.places, {});
  names_.assign(p.objects, {});
  ended_.store(false, std::memory_order_relaxed);  // as above
  found_ = {};
}

// Of several ranks each has all promises, and those of its own tasks are used. One that nobody sets would keep the verdict waiting.
std::uint64_t execution::externals_here() const {
  const program& p = *program_;
  if (!ranks().several()) return p.external;
  std::uint64_t here = 0;
  for (statement_id at = 0; at < p.statements.size(); ++at) {
    const statement& s = p.statements[at];
    if (s.what == op::ask_foreign && s.slot != k_none && is_of_this_process(at)) here |= std::uint64_t{1} << s.slot;
  }
  return p.external & here;
}

bool execution::is_of_this_process(statement_id at) const {
  return !ranks().several() || place_of_statement_[at] == ranks().here;
}

void execution::release() {
  numbers_made_.clear();
  nothings_made_.clear();
  references_made_.clear();
  promised_.clear();
  promises_.clear();
  never_.clear();
  number_sums_.clear();
  map_sums_.clear();
  phasers_.clear();
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

verdict execution::judge() {
  const program& p = *program_;
  verdict v = found_;
  const auto count = [&](std::atomic<std::uint8_t>& c) -> unsigned {
    return c.load(std::memory_order_relaxed);
  };  // the run is over
  for (std::size_t i = 0; i < p.tasks.size(); ++i) {
    const unsigned n = count(board_.entered[i]);
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
    const unsigned n = count(board_.ran[i]);
    if (n == (p.expected[i].runs ? 1u : 0u)) continue;
    v.what = "how often a statement ran";
    v.where = static_cast<statement_id>(i);
    v.expected = p.expected[i].runs ? 1 : 0;
    v.got = n;
  }
  for (std::size_t i = 0; i < p.clocks * k_max_phases && v.what == nullptr; ++i) {
    const unsigned n = board_.arrivals[i].load(std::memory_order_relaxed);  // the run is over
    if (n == p.arrivals[i]) continue;
    v.what = "how many arrived at a clock in a phase";
    v.expected = p.arrivals[i];
    v.got = n;
  }
  for (std::size_t i = 0; i < p.clocks * k_max_phases && v.what == nullptr; ++i) {
    if (board_.singles_run[i] == p.bodies[i]) continue;
    v.what = "how many bodies of next_single ran in a phase";
    v.expected = p.bodies[i];
    v.got = board_.singles_run[i];
  }
  for (unsigned d = 0; d < domains_.size() && v.what == nullptr; ++d) {
    if (ranks().several() && d / k_domains != static_cast<unsigned>(ranks().here))
      continue;  // another rank looks at it
    if (domains_[d].sum == p.sums[d] && domains_[d].blocks == p.blocks[d]) continue;
    v.what = "the sum of a domain's atomic blocks";
    v.expected = p.sums[d];
    v.got = domains_[d].sum;
  }
  judge_objects(v);
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
    check(board_.done[id] == wanted, id, "a task's end, seen after its finish", wanted, board_.done[id]);
    const statement_id maker = p.tasks[id].maker;
    if (maker == k_none || has_elements(p.statements[maker].what)) continue;
    check(board_.gone[id] == wanted, id, "the end of a task's captures, seen after its finish", wanted,
          board_.gone[id]);
  }
}

}  // namespace oracle
