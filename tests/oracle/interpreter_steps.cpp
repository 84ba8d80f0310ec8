// SPDX-License-Identifier: Apache-2.0
// One statement at a time, by their kinds: those that may have to wait, steps, blocks, and what makes tasks.
#include "interpreter.hpp"

#include <cstddef>
#include <utility>

namespace oracle {
namespace {

constexpr bool is_get(op what) { return what == op::get_future || what == op::get_promise; }
constexpr bool is_never(op what) { return what == op::get_never || what == op::when_never; }
constexpr bool is_step(op what) { return what < op::call; }
constexpr bool is_block(op what) { return what >= op::call && what < op::spawn; }

constexpr bool waits_for_something(const statement& st) {
  return st.what == op::when_block || is_never(st.what) || (is_get(st.what) && st.slot != k_none);
}

}  // namespace

// References are taken anew after anything that may grow a vector.
bool interpreter::execute(std::uint32_t who, statement_id at) {
  statement& st = program_->statements[at];
  if (binding_ && !bind_in_time(who, st)) return false;
  if (is_clock_step(st.what)) return execute_clock(who, at);
  if (waits_for_something(st) && !is_there(st)) return dead_ ? end_in_deadlock(who, at) : stop_at(who, at);
  expect(at).runs = true;
  frames_[strands_[who].top].pc = st.next;
  if (is_step(st.what))
    execute_step(who, at);
  else if (is_block(st.what))
    execute_block(who, at);
  else
    execute_spawn(who, at);
  return strands_[who].ready;
}

// Nothing to wait for yet: sometimes let others go first, so that data flows between unrelated tasks too. False then.
bool interpreter::bind_in_time(std::uint32_t who, statement& st) {
  if (st.what != op::when_block || st.awaits == k_none) bind_slot(strands_[who], st);
  const bool unbound =
      (is_get(st.what) && st.slot == k_none) || (st.what == op::when_block && st.awaits == k_none && st.blocks == 0);
  if (!unbound || strands_[who].patience == 0 || ready_.size() <= 1) return true;
  --strands_[who].patience;
  return false;
}

bool interpreter::is_there(const statement& st) const {
  switch (st.what) {
    case op::get_future: return futures_[st.slot].done;
    case op::get_promise: return promises_[st.slot].done;
    case op::when_block: return condition_holds(st);
    case op::pass_on: return producers_[static_cast<std::size_t>(&st - program_->statements.data())] == 0;
    default: return false;
  }
}

bool interpreter::stop_at(std::uint32_t who, statement_id at) {
  strands_[who].blocked_on = at;
  strands_[who].ready = false;
  blocked_.push_back(who);
  return false;
}

bool interpreter::end_in_deadlock(std::uint32_t who, statement_id at) {
  continuation& s = strands_[who];
  expect(at).runs = true;
  frames_[s.top].pc = program_->statements[at].next;
  program_->stuck_tasks.push_back(s.id);
  const std::uint32_t deadlock = special(k_deadlock_hash);
  outcome(s, at, deadlock, 0);
  fail(who, deadlock);
  return strands_[who].ready;
}

// ---- steps ----

void interpreter::execute_step(std::uint32_t who, statement_id at) {
  continuation& s = strands_[who];
  const statement& st = program_->statements[at];
  switch (st.what) {
    case op::write_cell:
      if (st.slot != k_none) s.known.learn(knowledge::k_cell_at + st.slot);
      break;
    case op::get_future:
      if (st.slot != k_none) get(who, at, futures_[st.slot]);
      break;
    case op::get_promise:
      if (st.slot != k_none) get(who, at, promises_[st.slot]);
      break;
    case op::set_promise:
    case op::ask_foreign:
      if (st.slot != k_none) set_promise(s, at);
      break;
    case op::set_again:
      if (st.slot != k_none) raise(who, at, special(k_usage_hash));
      break;
    case op::misuse_clock:
      if (st.slot != k_none) raise(who, at, special(k_clock_use_hash));
      break;
    case op::misuse_phaser:
      if (st.slot != k_none) raise(who, at, special(k_phaser_use_hash));
      break;
    case op::use_object: use_object(s, at); break;
    case op::misuse_object: raise(who, at, special(k_place_hash)); break;
    case op::misuse_block: raise(who, at, special(k_atomic_use_hash)); break;
    case op::throwing_copy: raise(who, at, leaf(at)); break;
    case op::throw_now: fail(who, leaf(at)); break;
    case op::rethrow: {
      std::uint32_t f = s.top;
      while (frames_[f].kind != where::handler) f = frames_[f].below;
      fail(who, frames_[f].exception);
      break;
    }
    case op::make_sum:
      if (st.sum != k_none) make_sum(s, st.sum);
      break;
    case op::send_to_sum:
      if (st.sum != k_none) send(s, at);
      break;
    case op::line_up:
      ++program_->finishes;
      program_->asyncs += st.count;
      outcome(s, at, 0, st.count);
      break;
    case op::look_at_sum:
      if (st.sum != k_none) outcome(s, at, 0, look(s, st));
      break;
    default: break;  // nothing comes of the others
  }
}

void interpreter::get(std::uint32_t who, statement_id at, const result& r) {
  continuation& s = strands_[who];
  s.known.merge(r.known);
  outcome(s, at, r.exception, r.value);
  if (r.exception != 0 && program_->statements[at].reaction != on_throw::swallow) fail(who, r.exception);
}

void interpreter::set_promise(continuation& s, statement_id at) {
  const statement& st = program_->statements[at];
  if (st.what == op::set_promise) s.known.learn(knowledge::k_promise_at + st.slot);
  result& r = promises_[st.slot];
  r.done = true;
  r.exception = st.by_exception ? leaf(at) : 0;
  r.value = program_->promise_value(st.slot);
  r.known = s.known;
  promises_done_ |= std::uint64_t{1} << st.slot;
  wake_blocked();
}

// What the statement throws instead of doing anything.
void interpreter::raise(std::uint32_t who, statement_id at, std::uint32_t exception) {
  outcome(strands_[who], at, exception, 0);
  if (program_->statements[at].reaction != on_throw::swallow) fail(who, exception);
}

// Notes what a statement comes to, and lets it flow into what this task computes if the task goes on from there.
void interpreter::outcome(continuation& s, statement_id at, std::uint32_t exception, std::uint64_t value) {
  expectation& e = expect(at);
  e.exception = raised_[exception].hash;
  e.value = exception == 0 ? value : 0;
  const statement& st = program_->statements[at];
  if (exception == 0 || st.what == op::try_catch || st.reaction == on_throw::swallow)
    s.acc = mix(s.acc, e.exception ^ e.value);
}

// ---- blocks ----

void interpreter::execute_block(std::uint32_t who, statement_id at) {
  continuation& s = strands_[who];
  const statement& st = program_->statements[at];
  switch (st.what) {
    case op::call: push(s, where::plain, at, st.body); break;
    case op::try_catch: push(s, where::try_body, at, st.body); break;
    case op::with_guard: push(s, where::guard_body, at, st.body); break;
    case op::with_objects: make_objects(who, at); break;
    case op::finish_block:
      ++program_->finishes;
      enter_finish(s, at, st.body);
      if (st.clocked) make_clock(s, st.slot, mode::signal_wait);
      break;
    default:  // atomic or when
      if (st.awaits != k_none) s.known.merge(flags_[st.awaits].known);
      if (st.by_exception)  // of the condition; no block runs then
        raise(who, at, leaf(at));
      else
        push(s, where::block_body, at, st.body);
      break;
  }
}

void interpreter::enter_finish(continuation& s, statement_id at, statement_id body) {
  push(s, where::finish_body, at, body);
  frames_[s.top].scope = s.scope;
  s.scope = static_cast<std::uint32_t>(scopes_.size());
  scopes_.push_back({});
}

bool interpreter::condition_holds(const statement& st) const {
  return (st.awaits == k_none || flags_[st.awaits].done) && program_->blocks[st.domain] >= st.blocks;
}

// The block's flag is seen from here on: its end happens before whoever waits for it goes on.
void interpreter::end_of_atomic(std::uint32_t who, std::uint32_t exception) {
  continuation& s = strands_[who];
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

// ---- what makes tasks ----

void interpreter::execute_spawn(std::uint32_t who, statement_id at) {
  const statement& st = program_->statements[at];
  switch (st.what) {
    case op::loop: execute_loop(who, at); break;
    case op::fold: execute_fold(who, at); break;
    case op::pass_on: execute_stream(who, at); break;
    case op::abandon_promise: abandon_promise(who, at); break;
    case op::at_place: execute_at(who, at); break;
    case op::each_place: execute_each(who, at); break;
    default: {
      program_->asyncs += st.what == op::spawn_future && st.away ? 2 : 1;  // one brings the value home
      program_->asyncs += st.flexible ? 1 : 0;
      continuation& s = strands_[who];
      const knowledge known = s.known;
      const bool with_future = st.what == op::spawn_future;
      if (with_future) s.known.learn(st.slot);
      const std::uint32_t child =
          start(st.first_task, with_future ? made_as::future_task : made_as::async_task, s.scope, known);
      register_child(who, child, st);
      break;
    }
  }
}

void interpreter::execute_loop(std::uint32_t who, statement_id at) {
  const statement& st = program_->statements[at];
  ++program_->loops;
  enter_finish(strands_[who], at, k_none);
  const std::uint32_t inner = strands_[who].scope;
  const knowledge known = strands_[who].known;
  for (unsigned i = 0; i < st.count; ++i)
    start(static_cast<task_id>(st.first_task + i), made_as::element, inner, known);
}

void interpreter::execute_fold(std::uint32_t who, statement_id at) {
  const statement& st = program_->statements[at];
  ++program_->loops;
  enter_finish(strands_[who], at, k_none);
  if (st.count > 0) start_fold_element(who, st.first_task, strands_[who].scope);
  affine all;
  for (unsigned i = 0; i < st.count; ++i)
    all = all * affine_of(program_->element_value(static_cast<task_id>(st.first_task + i)));
  expect(at).value = all.hash();
}

// Pushes never wait for long, for whoever takes does nothing else before the end of the stream: so in here they do not
// wait at all. Who takes goes on when every producer has ended, and which items it has had is nobody's concern.
void interpreter::execute_stream(std::uint32_t who, statement_id at) {
  const statement& st = program_->statements[at];
  ++program_->finishes;
  program_->asyncs += st.count;
  enter_finish(strands_[who], at, k_none);
  const std::uint32_t inner = strands_[who].scope;
  const knowledge known = strands_[who].known;
  producers_[at] = st.grain;
  for (unsigned i = 0; i < st.count; ++i) {
    const std::uint32_t made = start(static_cast<task_id>(st.first_task + i),
                                     i < st.grain ? made_as::producer : made_as::element, inner, known);
    if (i < st.grain) continue;
    ready_.pop_back();
    stop_at(made, at);
  }
}

void interpreter::end_of_producer(const continuation& s, bool threw) {
  const program& p = *program_;
  const statement_id at = p.tasks[s.id].maker;
  for (unsigned i = 0; i < (threw ? p.items_before(s.id) : p.items(s.id)); ++i) expect(at).second += p.item(s.id, i);
  if (--producers_[at] == 0) wake_blocked();
}

// The get ends when the child does, and with it the last promise handle.
void interpreter::abandon_promise(std::uint32_t who, statement_id at) {
  continuation& s = strands_[who];
  if (std::exchange(s.joins, k_nobody) != k_nobody) {
    raise(who, at, special(k_broken_hash));
    return;
  }
  ++program_->asyncs;
  start_joined(who, at, made_as::async_task);
}

// Who has started it comes back to the statement when it has ended.
void interpreter::start_joined(std::uint32_t who, statement_id at, made_as kind) {
  continuation& s = strands_[who];
  frames_[s.top].pc = at;
  s.ready = false;
  const std::uint32_t child = start(program_->statements[at].first_task, kind, s.scope, knowledge(s.known));
  strands_[who].joins = child;
  strands_[child].joined_by = who;
}

}  // namespace oracle
