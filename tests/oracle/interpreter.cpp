// SPDX-License-Identifier: Apache-2.0
#include "interpreter.hpp"

#include <cstddef>

namespace oracle {

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
      // A burst of steps of one continuation, then another: long enough to go deep, short enough to mix.
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
  futures_at_ = promises_at_ = {};
  futures_done_ = promises_done_ = 0;
  p.steps.clear();
  p.leaves.assign(p.tasks.size(), {});
  p.sums = {};
  p.object_sums = {};
  p.late_joiners = 0;
  p.early_joiners = 0;
  p.blocks = {};
  for (auto* counts : {&p.arrivals, &p.goings, &p.singles}) counts->assign(std::size_t{k_max_clocks} * k_max_phases, 0);
  p.bodies.assign(std::size_t{k_max_clocks} * k_max_phases, 0);
  p.expected.assign(p.statements.size(), {});
  p.task_runs.assign(p.tasks.size(), 0);
  p.stuck_tasks.clear();
  p.asyncs = p.finishes = p.loops = p.turns = 0;
  producers_.assign(p.statements.size(), 0);
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
  continuation& s = strands_.back();
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

void interpreter::push(continuation& s, where kind, statement_id owner, statement_id first) {
  frames_.push_back({kind, owner, first, 0, 0, s.top, false});
  s.top = static_cast<std::uint32_t>(frames_.size() - 1);
}

// False when the continuation cannot go on now.
bool interpreter::step(std::uint32_t who) {
  continuation& s = strands_[who];
  frame& f = frames_[s.top];
  if (f.pc == k_none) {
    end_of_block(who);
    return strands_[who].ready;
  }
  return execute(who, f.pc);
}

bool interpreter::may_go_on(std::uint32_t who) {
  const continuation& s = strands_[who];
  const statement& st = program_->statements[s.blocked_on];
  if (is_there(st)) return true;
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
  if (p.asyncs != other_.asyncs || p.finishes != other_.finishes || p.loops != other_.loops || p.turns != other_.turns)
    return "what the library is to count depends on the schedule";
  if (p.object_sums != other_.object_sums) return "what is added to objects depends on the schedule";
  if (p.sums != other_.sums || p.blocks != other_.blocks) return "what atomic blocks add up to depends on the schedule";
  if (p.task_runs != other_.task_runs) return "the tasks that run depend on the schedule";
  if (p.stuck_tasks.size() != other_.stuck_tasks.size() || p.stuck_leaves != other_.stuck_leaves)
    return "the deadlock depends on the schedule";
  return {};
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
