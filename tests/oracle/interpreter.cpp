// SPDX-License-Identifier: Apache-2.0
#include "interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace oracle {

namespace {

constexpr bool is_clock_step(op what) {
  return what == op::make_clock || what == op::make_phaser || what == op::resume_clock || what == op::advance_clock ||
         what == op::wait_phaser || what == op::next_single || what == op::drop_clock || what == op::resume_all ||
         what == op::advance_all;
}

}  // namespace

void interpreter::bind(program& p) { run(p, mix(p.seed, 0xb19du), true); }

void interpreter::run(program& p, std::uint64_t schedule, bool binding) {
  program_ = &p;
  binding_ = binding;
  dead_ = false;
  random_ = random_stream(schedule);
  reset();
  scopes_.push_back({});  // the root finish
  start(0, made_as::root, 0, {});
  for (;;) {
    while (!ready_.empty()) {
      const unsigned pick = random_.below(static_cast<unsigned>(ready_.size()));
      const std::uint32_t who = ready_[pick];
      // A burst of steps of one strand, then another: long enough to go deep, short enough to mix.
      unsigned left = random_.between(1, 8);
      while (left > 0 && strands_[who].ready && step(who)) --left;
      if (!strands_[who].ready) {
        for (std::uint32_t& r : ready_) {
          if (r != who) continue;
          r = ready_.back();
          ready_.pop_back();
          break;
        }
      }
    }
    if (blocked_.empty()) break;
    if (binding && give_way_at_a_clock()) continue;
    give_up();
  }
  settle_singles();
  p.root_exception = scopes_[0].count == 0 ? 0 : raised_[multiple(scopes_[0])].hash;
  p.stuck_leaves = scopes_[0].leaves;
  p.running_tasks = 0;
  for (const std::uint8_t r : p.task_runs) p.running_tasks += r;
}

void interpreter::reset() {
  program& p = *program_;
  strands_.clear();
  frames_.assign(1, {});
  scopes_.clear();
  raised_.assign(1, {});
  collected_.assign(1, {});
  ready_.clear();
  blocked_.clear();
  for (unsigned i = 0; i < k_max_futures; ++i) futures_[i].done = false;
  for (unsigned i = 0; i < k_max_promises; ++i) promises_[i].done = false;
  for (unsigned i = 0; i < k_max_flags; ++i) flags_[i].done = false;
  flags_done_ = {};
  futures_done_ = promises_done_ = 0;
  p.steps.clear();
  p.leaves.assign(p.tasks.size(), {});
  p.sums = {};
  p.late_joiners = 0;
  p.early_joiners = 0;
  p.blocks = {};
  for (auto* counts : {&p.arrivals, &p.goings, &p.singles}) counts->assign(std::size_t{k_max_clocks} * k_max_phases, 0);
  p.bodies.assign(std::size_t{k_max_clocks} * k_max_phases, 0);
  p.expected.assign(p.statements.size(), {});
  p.task_runs.assign(p.tasks.size(), 0);
  p.stuck_tasks.clear();
  if (binding_) {
    p.futures = p.promises = p.cells = p.clocks = p.flags = 0;
    p.external = p.phasers = 0;
    p.bounds = {};
    p.sum_of_phaser.fill(k_none);
    p.sum_maker.clear();
    p.future_maker.clear();
  }
}

std::uint32_t interpreter::start(task_id id, made_as kind, std::uint32_t in_scope, const knowledge& known) {
  const auto who = static_cast<std::uint32_t>(strands_.size());
  strands_.push_back({});
  strand& s = strands_.back();
  s.id = id;
  s.kind = kind;
  s.scope = in_scope;
  s.acc = program_->task_value(id);
  s.known = known;
  ++scopes_[in_scope].pending;
  program_->task_runs[id] = 1;
  push(s, where::task_body, k_none, program_->tasks[id].body);
  make_ready(who);
  return who;
}

// Elements of a reduce may share a task: one after the other, so that none waits for a later one. They are not ordered either.
void interpreter::start_fold_element(std::uint32_t folder, task_id id, std::uint32_t in_scope) {
  const knowledge known = strands_[folder].known;
  const std::uint32_t element = start(id, made_as::element, in_scope, known);
  strands_[element].folder = folder;
}

void interpreter::make_ready(std::uint32_t who) {
  if (strands_[who].ready) return;
  strands_[who].ready = true;
  ready_.push_back(who);
}

void interpreter::push(strand& s, where kind, statement_id owner, statement_id first) {
  frames_.push_back({kind, owner, first, 0, 0, s.top, false});
  s.top = static_cast<std::uint32_t>(frames_.size() - 1);
}

// False when the strand cannot go on now.
bool interpreter::step(std::uint32_t who) {
  strand& s = strands_[who];
  frame& f = frames_[s.top];
  if (f.pc == k_none) {
    end_of_block(who);
    return strands_[who].ready;
  }
  return execute(who, f.pc);
}

// Runs one statement; references are taken anew after anything that may grow a vector.
bool interpreter::execute(std::uint32_t who, statement_id at) {
  statement& st = program_->statements[at];
  if (binding_) {
    if (st.what == op::get_future || st.what == op::get_promise) {
      bind_slot(strands_[who], st);
      // Nothing to get yet: sometimes let others go first, so that data flows between unrelated tasks too.
      if (st.slot == k_none && strands_[who].patience > 0 && ready_.size() > 1) {
        --strands_[who].patience;
        return false;
      }
    } else {
      if (st.what != op::when_block || st.awaits == k_none) bind_slot(strands_[who], st);
      if (st.what == op::when_block && st.awaits == k_none && st.blocks == 0 && strands_[who].patience > 0 &&
          ready_.size() > 1) {
        --strands_[who].patience;
        return false;
      }
    }
  }
  if (is_clock_step(st.what)) return execute_clock(who, at);
  {
    strand& s = strands_[who];
    const bool gets = (st.what == op::get_future || st.what == op::get_promise) && st.slot != k_none;
    if (st.what == op::when_block && !condition_holds(st) && !s.doomed && !dead_) {
      s.blocked_on = at;
      s.ready = false;
      blocked_.push_back(who);
      return false;
    }
    if (st.what == op::when_block && !condition_holds(st)) {
      expect(at).runs = true;
      frames_[s.top].pc = st.next;
      program_->stuck_tasks.push_back(s.id);
      const std::uint32_t deadlock = special(k_deadlock_hash);
      outcome(s, at, deadlock, 0);
      fail(who, deadlock);
      return strands_[who].ready;
    }
    if (gets || st.what == op::get_never || st.what == op::when_never) {
      const bool never = st.what == op::get_never || st.what == op::when_never;
      result* const r = never ? nullptr : st.what == op::get_future ? &futures_[st.slot] : &promises_[st.slot];
      if ((r == nullptr || !r->done) && !dead_) {
        s.blocked_on = at;
        s.ready = false;
        blocked_.push_back(who);
        return false;
      }
      expect(at).runs = true;
      frames_[s.top].pc = st.next;
      if (r == nullptr || !r->done) {
        program_->stuck_tasks.push_back(s.id);
        const std::uint32_t deadlock = special(k_deadlock_hash);
        outcome(s, at, deadlock, 0);
        fail(who, deadlock);
        return strands_[who].ready;
      }
      return get(who, at, *r);
    }
    expect(at).runs = true;
    frames_[s.top].pc = st.next;
  }
  strand& s = strands_[who];
  switch (st.what) {
    case op::write_cell:
      if (st.slot != k_none) s.known.learn(knowledge::k_cell_at + st.slot);
      break;
    case op::set_promise:
    case op::ask_foreign: {
      if (st.slot == k_none) break;
      if (st.what == op::set_promise) s.known.learn(knowledge::k_promise_at + st.slot);
      result& r = promises_[st.slot];
      r.done = true;
      r.exception = st.by_exception ? leaf(at) : 0;
      r.value = program_->promise_value(st.slot);
      r.known = s.known;
      promises_done_ |= std::uint64_t{1} << st.slot;
      wake_blocked();
      break;
    }
    case op::set_again:
    case op::misuse_block:
    case op::misuse_clock:
    case op::misuse_phaser:
    case op::throwing_copy: {
      const bool has_slot = st.what == op::set_again || st.what == op::misuse_clock || st.what == op::misuse_phaser;
      if (has_slot && st.slot == k_none) break;
      const std::uint32_t thrown = st.what == op::set_again       ? special(k_usage_hash)
                                   : st.what == op::misuse_block  ? special(k_atomic_use_hash)
                                   : st.what == op::misuse_clock  ? special(k_clock_use_hash)
                                   : st.what == op::misuse_phaser ? special(k_phaser_use_hash)
                                                                  : leaf(at);
      outcome(s, at, thrown, 0);
      if (st.reaction != on_throw::swallow) fail(who, thrown);
      break;
    }
    case op::throw_now: fail(who, leaf(at)); break;
    case op::rethrow: {
      std::uint32_t f = s.top;
      while (frames_[f].kind != where::handler) f = frames_[f].below;
      fail(who, frames_[f].exception);
      break;
    }
    case op::call: push(s, where::plain, at, st.body); break;
    case op::try_catch: push(s, where::try_body, at, st.body); break;
    case op::with_guard: push(s, where::guard_body, at, st.body); break;
    case op::finish_block:
    case op::loop:
    case op::fold: {
      push(s, where::finish_body, at, st.what == op::finish_block ? st.body : k_none);
      frames_[s.top].scope = s.scope;
      const auto inner = static_cast<std::uint32_t>(scopes_.size());
      s.scope = inner;
      scopes_.push_back({});
      if (st.clocked) make_clock(s, st.slot, mode::signal_wait);
      const knowledge known = s.known;
      if (st.what == op::finish_block) break;
      if (st.what == op::fold && st.count > 0) start_fold_element(who, st.first_task, inner);
      affine all;
      for (unsigned i = 0; i < st.count; ++i) {
        const auto id = static_cast<task_id>(st.first_task + i);
        if (st.what == op::loop) start(id, made_as::element, inner, known);
        all = all * affine_of(program_->element_value(id));
      }
      if (st.what == op::fold) expect(at).value = all.hash();
      break;
    }
    case op::atomic_block:
    case op::when_block:
      if (st.awaits != k_none) s.known.merge(flags_[st.awaits].known);
      if (st.by_exception) {  // of the condition; no block runs then
        const std::uint32_t thrown = leaf(at);
        outcome(s, at, thrown, 0);
        if (st.reaction != on_throw::swallow) fail(who, thrown);
        break;
      }
      push(s, where::block_body, at, st.body);
      break;
    case op::spawn: {
      const std::uint32_t child = start(st.first_task, made_as::async_task, s.scope, knowledge(s.known));
      register_child(who, child, st);
      break;
    }
    case op::spawn_future: {
      const knowledge known = s.known;
      const std::uint32_t in = s.scope;
      s.known.learn(st.slot);
      const std::uint32_t child = start(st.first_task, made_as::future_task, in, known);
      register_child(who, child, st);
      break;
    }
    case op::abandon_promise: {  // the get ends when the child does, and with it the last promise handle
      if (s.joins == k_nobody) {
        frames_[s.top].pc = at;  // comes back here
        s.ready = false;
        const std::uint32_t child = start(st.first_task, made_as::async_task, s.scope, knowledge(s.known));
        strands_[who].joins = child;
        strands_[child].joined_by = who;
        break;
      }
      s.joins = k_nobody;
      const std::uint32_t broken = special(k_broken_hash);
      outcome(s, at, broken, 0);
      if (st.reaction != on_throw::swallow) fail(who, broken);
      break;
    }
    case op::read_cell:
    case op::touch_local:
    case op::yield_now:
    case op::get_future:
    case op::get_promise:
    case op::get_never:
    case op::when_never:
    case op::make_clock:
    case op::make_phaser:
    case op::resume_clock:
    case op::advance_clock:
    case op::wait_phaser:
    case op::next_single:
    case op::drop_clock:
    case op::resume_all:
    case op::advance_all: break;
    case op::make_sum:
      if (st.sum != k_none) make_sum(s, st.sum);
      break;
    case op::send_to_sum:
      if (st.sum != k_none) send(s, at);
      break;
    case op::look_at_sum:
      if (st.sum != k_none) outcome(s, at, 0, look(s, st));
      break;
  }
  return strands_[who].ready;
}

// ---- atomic blocks ----

bool interpreter::condition_holds(const statement& st) {
  return (st.awaits == k_none || flags_[st.awaits].done) && program_->blocks[st.domain] >= st.blocks;
}

// The block's flag is seen from here on: its end happens before whoever waits for it goes on.
void interpreter::end_of_atomic(std::uint32_t who, std::uint32_t exception) {
  strand& s = strands_[who];
  const statement_id at = frames_[s.top].owner;
  const statement& st = program_->statements[at];
  pop(s);
  if (st.slot != k_none) {
    result& r = flags_[st.slot];
    r.done = true;
    r.known = s.known;
    flags_done_[st.domain] |= std::uint64_t{1} << st.slot;
  }
  ++program_->blocks[st.domain];
  program_->sums[st.domain] += program_->block_value(at);
  wake_blocked();
  outcome(s, at, exception, program_->block_value(at));
}

bool interpreter::get(std::uint32_t who, statement_id at, result& r) {
  strand& s = strands_[who];
  s.known.merge(r.known);
  outcome(s, at, r.exception, r.value);
  if (r.exception != 0 && program_->statements[at].reaction != on_throw::swallow) fail(who, r.exception);
  return strands_[who].ready;
}

// Notes what a statement comes to, and lets it flow into what this task computes if the task goes on from there.
void interpreter::outcome(strand& s, statement_id at, std::uint32_t exception, std::uint64_t value) {
  expectation& e = expect(at);
  e.exception = raised_[exception].hash;
  e.value = exception == 0 ? value : 0;
  const statement& st = program_->statements[at];
  if (exception == 0 || st.what == op::try_catch || st.reaction == on_throw::swallow)
    s.acc = mix(s.acc, e.exception ^ e.value);
}

void interpreter::end_of_block(std::uint32_t who) {
  strand& s = strands_[who];
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
  strand& s = strands_[who];
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
  outcome(s, f.owner, thrown, 0);
  if (thrown != 0 && st.reaction != on_throw::swallow) fail(who, thrown);
}

void interpreter::end_of_task(std::uint32_t who, std::uint32_t exception) {
  if (strands_[who].folder != k_nobody) {
    const statement& fold = program_->statements[program_->tasks[strands_[who].id].maker];
    const auto next = static_cast<task_id>(strands_[who].id + 1);
    if (next < fold.first_task + fold.count) start_fold_element(strands_[who].folder, next, strands_[who].scope);
  }
  strand& s = strands_[who];
  for (const member& m : s.members) leave(m, program_->leaves[s.id]);
  s.members.clear();
  s.ready = false;
  s.top = 0;
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
  strand& s = strands_[who];
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

bool interpreter::may_go_on(std::uint32_t who) {
  const strand& s = strands_[who];
  const statement& st = program_->statements[s.blocked_on];
  switch (st.what) {
    case op::get_future: return futures_[st.slot].done;
    case op::get_promise: return promises_[st.slot].done;
    case op::when_block: return condition_holds(st);
    default: break;
  }
  if (!is_clock_step(st.what)) return false;
  return s.halfway ? may_pass_all(s, st) : may_signal_all(s, st);
}

void interpreter::wake_blocked() {
  for (std::size_t i = 0; i < blocked_.size();) {
    const std::uint32_t who = blocked_[i];
    if (!may_go_on(who)) {
      ++i;
      continue;
    }
    blocked_[i] = blocked_.back();
    blocked_.pop_back();
    make_ready(who);
  }
}

// Nothing is ready and somebody waits: the deadlock that stuck programs are made for.
void interpreter::give_up() {
  dead_ = true;
  for (const std::uint32_t who : blocked_) {
    strands_[who].doomed = true;
    make_ready(who);
  }
  blocked_.clear();
}

std::uint32_t interpreter::leaf(statement_id at) {
  const std::uint64_t hash = leaf_hash(program_->salt, at);
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

slot_id interpreter::any_bit(std::uint64_t mask) {
  if (mask == 0) return k_none;
  for (unsigned skip = random_.below(static_cast<unsigned>(std::popcount(mask))); skip > 0; --skip) mask &= mask - 1;
  return static_cast<slot_id>(std::countr_zero(mask));
}

void interpreter::bind_slot(const strand& s, statement& st) {
  program& p = *program_;
  switch (st.what) {
    case op::write_cell:
      if (p.cells < k_max_cells) st.slot = static_cast<slot_id>(p.cells++);
      break;
    case op::read_cell: {
      const unsigned half = random_.below(2);
      const slot_id bit = any_bit(s.known.words[2 + half]);
      if (bit != k_none) st.slot = static_cast<slot_id>(64 * half + bit);
      break;
    }
    case op::spawn_future:
      st.slot = static_cast<slot_id>(p.futures++);  // the generator keeps them below k_max_futures
      p.future_maker.push_back(static_cast<statement_id>(&st - p.statements.data()));
      bind_clocks(s, st);
      break;
    case op::spawn:
    case op::throwing_copy: bind_clocks(s, st); break;
    case op::finish_block:
      if (!st.clocked) break;
      st.clocked = p.clocks < k_max_clocks;
      if (st.clocked) st.slot = static_cast<slot_id>(p.clocks++);
      break;
    case op::make_clock:
      if (p.clocks < k_max_clocks) st.slot = static_cast<slot_id>(p.clocks++);
      break;
    case op::make_phaser:
    case op::resume_clock:
    case op::advance_clock:
    case op::advance_all:
    case op::wait_phaser:
    case op::next_single:
    case op::drop_clock:
    case op::misuse_clock:
    case op::misuse_phaser:
    case op::make_sum:
    case op::send_to_sum:
    case op::look_at_sum:
      if (st.slot == k_none) bind_to_clock(s, st);
      break;
    case op::atomic_block:
    case op::when_block:
      if (p.flags < k_max_flags && st.slot == k_none && !st.by_exception && random_.chance(50))
        st.slot = static_cast<slot_id>(p.flags++);
      if (st.what == op::atomic_block) break;
      if (random_.chance(30)) {
        const auto ended = static_cast<unsigned>(p.blocks[st.domain]);
        st.blocks = static_cast<std::uint16_t>(ended - random_.below(std::min(ended, 2u) + 1));
      } else {
        st.awaits = any_bit(flags_done_[st.domain]);
      }
      break;
    case op::get_future: st.slot = any_bit(s.known.words[0] & futures_done_); break;
    case op::get_promise: st.slot = any_bit(promises_done_); break;
    case op::set_promise:
    case op::ask_foreign:
      if (p.promises < k_max_promises) {
        if (st.what == op::ask_foreign) p.external |= std::uint64_t{1} << p.promises;
        st.slot = static_cast<slot_id>(p.promises++);
      }
      break;
    case op::set_again: st.slot = any_bit(s.known.words[1]); break;
    default: break;
  }
}

std::string interpreter::confirm(const program& p, std::uint64_t schedule) {
  other_ = p;
  run(other_, schedule, false);
  for (std::size_t i = 0; i < p.statements.size(); ++i) {
    const expectation& a = p.expected[i];
    const expectation& b = other_.expected[i];
    if (a.runs != b.runs || a.exception != b.exception || a.second != b.second || a.value != b.value)
      return "statement #" + std::to_string(i) + " of program " + std::to_string(p.seed) + " depends on the schedule";
  }
  if (p.root_exception != other_.root_exception) return "the root exception depends on the schedule";
  if (p.singles != other_.singles || p.bodies != other_.bodies)
    return "what runs in next_single depends on the schedule";
  if (p.goings != other_.goings) return "waits on phasers with a bound depend on the schedule";
  if (p.arrivals != other_.arrivals) return "arrivals at clocks depend on the schedule";
  if (p.sums != other_.sums || p.blocks != other_.blocks) return "what atomic blocks add up to depends on the schedule";
  if (p.task_runs != other_.task_runs) return "the tasks that run depend on the schedule";
  if (p.stuck_tasks.size() != other_.stuck_tasks.size() || p.stuck_leaves != other_.stuck_leaves)
    return "the deadlock depends on the schedule";
  return {};
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
                                         : "usage_error";
  }
}

void make(std::uint64_t seed, const generator_options& options, interpreter& with, program& out) {
  for (std::uint64_t attempt = 0; attempt < 64; ++attempt) {
    generate(attempt == 0 ? seed : mix(seed, attempt), options, out);
    with.bind(out);
    out.seed = seed;
    if (out.running_tasks >= options.min_tasks && (!options.stuck || !out.stuck_tasks.empty())) return;
  }
}

}  // namespace oracle
