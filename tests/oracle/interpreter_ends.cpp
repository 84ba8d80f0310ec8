// SPDX-License-Identifier: Apache-2.0
// How blocks, tasks and finishes end, normally or by an exception, and what exceptions are.
#include "interpreter.hpp"

namespace oracle {

void interpreter::end_of_block(std::uint32_t who) {
  continuation& s = strands_[who];
  frame& f = frames_[s.top];
  switch (f.kind) {
    case where::task_body: end_of_task(who, 0); break;
    case where::plain:
    case where::try_body:
    case where::handler: pop(s); break;
    case where::block_body: end_of_atomic(who, 0); break;
    case where::guard_body:
      f.kind = where::guard_run;
      f.pc = program_->statements[f.owner].other;
      f.exception = 0;
      break;
    case where::guard_run: {
      const std::uint32_t going_on = f.exception;
      pop(s);
      if (going_on != 0) fail(who, going_on);
      break;
    }
    case where::finish_body:
      if (!f.waiting) {
        const statement_id owner = f.owner;
        leave_made_in(s, s.scope, expect(owner).arrives);
      }
      f.waiting = true;
      if (scopes_[s.scope].pending != 0) {
        scopes_[s.scope].waiter = who;
        s.ready = false;
      } else {
        end_of_finish(who);
      }
      break;
  }
}

void interpreter::end_of_finish(std::uint32_t who) {
  continuation& s = strands_[who];
  const frame f = frames_[s.top];
  const scope inner = scopes_[s.scope];
  pop(s);
  s.scope = f.scope;
  s.known.merge(inner.known);
  const statement& st = program_->statements[f.owner];
  const std::uint32_t thrown = inner.count == 0 ? 0 : multiple(inner);
  if (st.what == op::fold) {
    outcome(s, f.owner, thrown, expect(f.owner).value);
    return;
  }
  outcome(s, f.owner, thrown, st.what == op::pass_on ? expect(f.owner).second : 0);
  if (thrown != 0 && st.reaction != on_throw::swallow) fail(who, thrown);
}

void interpreter::end_of_task(std::uint32_t who, std::uint32_t exception) {
  if (strands_[who].folder != k_nobody) {
    const statement& fold = program_->statements[program_->tasks[strands_[who].id].maker];
    const auto next = static_cast<task_id>(strands_[who].id + 1);
    if (next < fold.first_task + fold.count) start_fold_element(strands_[who].folder, next, strands_[who].scope);
  }
  continuation& s = strands_[who];
  for (const member& m : s.members) leave(m, program_->leaves[s.id]);
  s.members.clear();
  s.ready = false;
  s.top = 0;
  if (s.kind == made_as::producer) end_of_producer(s, exception != 0);
  if (s.joined_by != k_nobody) make_ready(s.joined_by);
  scope& in = scopes_[s.scope];
  if (s.kind == made_as::future_task) {
    const statement_id maker = program_->tasks[s.id].maker;
    const statement& st = program_->statements[maker];
    expectation& e = expect(maker);
    e.exception = raised_[exception].hash;
    e.value = exception != 0 ? 0 : st.value == value_kind::nothing ? program_->task_value(s.id) : s.acc;
    result& r = futures_[st.slot];
    r.done = true;
    r.exception = exception;
    r.value = e.value;
    r.known = s.known;
    futures_done_ |= std::uint64_t{1} << st.slot;
    wake_blocked();
  } else if (s.kind == made_as::at_body) {
    s.exception = exception;
  } else if (exception != 0) {
    collect(in, exception);
  }
  in.known.merge(s.known);
  if (--in.pending == 0 && in.waiter != k_nobody) {
    const std::uint32_t waiter = in.waiter;
    in.waiter = k_nobody;
    make_ready(waiter);
    end_of_finish(waiter);
  }
}

void interpreter::fail(std::uint32_t who, std::uint32_t exception) {
  continuation& s = strands_[who];
  for (;;) {
    frame& f = frames_[s.top];
    switch (f.kind) {
      case where::plain:
      case where::handler: pop(s); break;
      case where::block_body: {
        const on_throw reaction = program_->statements[f.owner].reaction;
        end_of_atomic(who, exception);
        if (reaction == on_throw::swallow) return;
        break;
      }
      case where::try_body:
        outcome(s, f.owner, exception, 0);
        f.kind = where::handler;
        f.pc = program_->statements[f.owner].other;
        f.exception = exception;
        return;
      case where::guard_body:
        expect(f.owner).exception = raised_[exception].hash;
        f.kind = where::guard_run;
        f.pc = program_->statements[f.owner].other;
        f.exception = exception;
        return;
      case where::guard_run: {
        expect(f.owner).second = raised_[exception].hash;
        const std::uint32_t going_on = f.exception;
        pop(s);
        if (going_on == 0) return;
        exception = going_on;
        break;
      }
      case where::finish_body:
        collect(scopes_[s.scope], exception);
        f.pc = k_none;
        return;
      case where::task_body: end_of_task(who, exception); return;
    }
  }
}

std::uint32_t interpreter::leaf(statement_id at) {
  const std::uint64_t hash = program_->hash_of_leaf(at);
  raised_.push_back({hash, hash, at, 0});
  return static_cast<std::uint32_t>(raised_.size() - 1);
}

std::uint32_t interpreter::special(std::uint64_t hash) {
  raised_.push_back({hash, hash == k_deadlock_hash ? 0 : hash, k_none, 0});
  return static_cast<std::uint32_t>(raised_.size() - 1);
}

std::uint32_t interpreter::multiple(const scope& s) {
  raised_.push_back({multiple_hash(s.sum, s.count), s.leaves, k_none, s.first_exception});
  return static_cast<std::uint32_t>(raised_.size() - 1);
}

void interpreter::collect(scope& s, std::uint32_t exception) {
  collected_.push_back({exception, s.first_exception});
  s.first_exception = static_cast<std::uint32_t>(collected_.size() - 1);
  s.sum += raised_[exception].hash;
  s.leaves += raised_[exception].leaves;
  ++s.count;
}

std::string interpreter::name_of(std::uint64_t exception_hash) const {
  if (exception_hash == 0) return "nothing";
  for (std::uint32_t i = 1; i < raised_.size(); ++i) {
    if (raised_[i].hash != exception_hash) continue;
    std::string out;
    text_of(i, out);
    return out;
  }
  return "an exception that the oracle does not know";
}

void interpreter::text_of(std::uint32_t exception, std::string& out) const {
  const raised& r = raised_[exception];
  if (r.first_element != 0) {
    out += '{';
    for (std::uint32_t at = r.first_element; at != 0; at = collected_[at].next) {
      if (at != r.first_element) out += ' ';
      text_of(collected_[at].exception, out);
    }
    out += '}';
  } else if (r.leaf != k_none) {
    out += '#';
    out += std::to_string(r.leaf);
  } else {
    out += r.hash == k_deadlock_hash     ? "deadlock_error"
           : r.hash == k_broken_hash     ? "broken_promise"
           : r.hash == k_clock_use_hash  ? "clock_use_error"
           : r.hash == k_phaser_use_hash ? "phaser_use_error"
           : r.hash == k_atomic_use_hash ? "atomic_use_error"
           : r.hash == k_place_hash      ? "place_error"
                                         : "usage_error";
  }
}

}  // namespace oracle
