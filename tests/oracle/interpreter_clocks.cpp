// SPDX-License-Identifier: Apache-2.0
// Clocks and phasers in the oracle: who has signalled and waited how often.
#include <algorithm>
#include <array>
#include <cstddef>

#include "interpreter.hpp"

namespace oracle {
namespace {

constexpr bool gives_signals(op what) { return what != op::wait_phaser; }
constexpr bool waits_too(op what) {
  return what == op::advance_clock || what == op::advance_all || what == op::wait_phaser || what == op::next_single;
}

template <class T>
T& grown(std::vector<T>& v, std::uint64_t at) {
  if (v.size() <= at) v.resize(static_cast<std::size_t>(at) + 1);
  return v[static_cast<std::size_t>(at)];
}

}  // namespace

const interpreter::member* interpreter::member_of(const continuation& s, slot_id clock) {
  for (const member& m : s.members) {
    if (m.clock == clock) return &m;
  }
  return nullptr;
}

void interpreter::make_clock(continuation& s, slot_id clock, mode how) {
  if (clock == k_none) return;
  timer& t = clocks_[clock];
  t.phase = 0;
  t.registered = may_signal(how) ? 1 : 0;
  t.ranks = 1;
  t.passed = 0;
  t.missing.assign(1, t.registered);
  t.waiting.assign(1, may_wait(how) ? 1 : 0);
  t.known.assign(1, {});
  s.members.push_back({clock, how, 0, 0, s.scope, s.scope, 0});
}

// A child is where its parent is: the children of one that has arrived have arrived in that phase, too.
void interpreter::register_child(std::uint32_t parent, std::uint32_t child, const statement& st) {
  std::size_t named = 0;
  for (slot_id c = 0; c < program_->clocks; ++c) {
    if ((st.clocks >> c & 1u) == 0) continue;
    for (member& m : strands_[parent].members) {
      if (m.clock != c) continue;
      timer& t = clocks_[c];
      member mine{c, m.how, m.signals, m.waits, strands_[child].scope, k_nobody, k_nobody};
      if (program_->is_phaser(c) && !st.all) mine.how = st.modes[named++];
      if (!may_wait(m.how)) mine.waits = 0;
      if (m.rank == 0) mine.rank = t.ranks++;
      if (m.arrived()) ++program_->late_joiners;
      if (!may_wait(m.how) && m.signals > t.phase) ++program_->early_joiners;
      if (may_signal(mine.how)) {
        ++t.registered;
        ++grown(t.missing, mine.signals);
      }
      if (may_wait(mine.how)) ++grown(t.waiting, mine.waits);
      strands_[child].members.push_back(mine);
    }
  }
}

void interpreter::record(const clock_step& step, clock_steps& into) {
  if (into.count++ == 0) into.first = static_cast<std::uint32_t>(program_->steps.size());
  program_->steps.push_back(step);
}

void interpreter::turn(slot_id clock) {
  timer& t = clocks_[clock];
  while (t.registered != 0 && t.missing[static_cast<std::size_t>(t.phase)] == 0) ++t.phase;
  wake_blocked();
}

bool interpreter::concerns(const statement& st, const member& m) {
  return st.what == op::resume_all || st.what == op::advance_all || (st.what == op::next_single && st.all) ||
         m.clock == st.slot;
}

bool interpreter::has_room(const member& m) const {
  const std::uint64_t bound = program_->bounds[m.clock];
  if (bound == 0 || !may_signal(m.how) || m.arrived()) return true;
  const timer& t = clocks_[m.clock];
  for (std::size_t slowest = 0; slowest < t.waiting.size(); ++slowest) {
    if (t.waiting[slowest] != 0) return m.signals + 1 <= slowest + bound;
  }
  return true;
}

bool interpreter::may_signal_all(const continuation& s, const statement& st) const {
  return !gives_signals(st.what) || std::all_of(s.members.begin(), s.members.end(),
                                                [&](const member& m) { return !concerns(st, m) || has_room(m); });
}

bool interpreter::may_pass_all(const continuation& s, const statement& st) const {
  return !waits_too(st.what) || std::all_of(s.members.begin(), s.members.end(), [&](const member& m) {
    return !concerns(st, m) || !may_wait(m.how) || clocks_[m.clock].turned(m.waits);
  });
}

void interpreter::arrive(continuation& s, member& m, clock_steps& into, bool goes_on) {
  if (!may_signal(m.how) || m.arrived()) return;
  const std::uint64_t phase = m.signals++;
  const std::uint64_t after = !may_wait(m.how) ? m.signals : goes_on ? k_none : m.waits;
  record({m.clock, static_cast<std::uint16_t>(phase), static_cast<std::uint16_t>(after), false}, into);
  if (phase < k_max_phases) ++program_->arrivals[count_of(m.clock, phase)];
  timer& t = clocks_[m.clock];
  grown(t.known, phase).merge(s.known);
  --t.missing[static_cast<std::size_t>(phase)];
  ++grown(t.missing, phase + 1);
  turn(m.clock);
}

void interpreter::pass(continuation& s, member& m, clock_steps& into) {
  if (!may_wait(m.how)) return;
  timer& t = clocks_[m.clock];
  if (m.waits < t.known.size()) s.known.merge(t.known[static_cast<std::size_t>(m.waits)]);
  const std::uint64_t phase = m.waits++;
  if (!program_->is_phaser(m.clock) && phase >= t.passed) {
    program_->turns += phase + 1 - t.passed;
    t.passed = phase + 1;
  }
  record({m.clock, static_cast<std::uint16_t>(phase), static_cast<std::uint16_t>(m.waits), true}, into);
  if (program_->bounds[m.clock] != 0 && phase < k_max_phases) ++program_->goings[count_of(m.clock, phase)];
  --t.waiting[static_cast<std::size_t>(phase)];
  ++grown(t.waiting, phase + 1);
  if (program_->bounds[m.clock] != 0) wake_blocked();
}

// Who has arrived leaves in the next phase: that cannot turn before.
void interpreter::leave(const member& m, clock_steps& into) {
  if (dead_) return;  // nobody passes any more
  timer& t = clocks_[m.clock];
  if (may_signal(m.how)) {
    record({m.clock, static_cast<std::uint16_t>(m.signals), k_none, false}, into);
    if (m.signals < k_max_phases) ++program_->arrivals[count_of(m.clock, m.signals)];
    --t.missing[static_cast<std::size_t>(m.signals)];
    --t.registered;
  }
  if (may_wait(m.how)) {
    if (program_->bounds[m.clock] != 0) {
      record({m.clock, static_cast<std::uint16_t>(m.waits), k_none, true}, into);
      if (m.waits < k_max_phases) ++program_->goings[count_of(m.clock, m.waits)];
    }
    --t.waiting[static_cast<std::size_t>(m.waits)];
  }
  turn(m.clock);
}

void interpreter::leave_made_in(continuation& s, std::uint32_t finish, clock_steps& into) {
  for (std::size_t i = 0; i < s.members.size();) {
    if (s.members[i].made_in != finish) {
      ++i;
      continue;
    }
    const member m = s.members[i];
    s.members.erase(s.members.begin() + static_cast<std::ptrdiff_t>(i));
    leave(m, into);
  }
}

bool interpreter::execute_clock(std::uint32_t who, statement_id at) {
  continuation& s = strands_[who];
  const statement& st = program_->statements[at];
  expectation& e = expect(at);
  const bool all = st.what == op::resume_all || st.what == op::advance_all;
  e.runs = true;
  if (st.what == op::make_clock || st.what == op::make_phaser) {
    make_clock(s, st.slot, st.what == op::make_clock ? mode::signal_wait : st.how);
    if (st.sum != k_none) make_sum(s, st.sum);
  } else if (st.what == op::drop_clock) {
    for (std::size_t i = 0; i < s.members.size(); ++i) {
      if (s.members[i].clock != st.slot) continue;
      const member m = s.members[i];
      s.members.erase(s.members.begin() + static_cast<std::ptrdiff_t>(i));
      s.dropped |= std::uint64_t{1} << st.slot;
      leave(m, e.arrives);
      break;
    }
  } else if (!s.doomed && (all || st.slot != k_none)) {
    bool goes_on = s.halfway || may_signal_all(s, st);
    if (goes_on && !s.halfway && gives_signals(st.what)) {
      if (st.what == op::next_single) ++program_->singles[count_of(st.slot, member_of(s, st.slot)->signals)];
      for (member& m : s.members) {
        if (concerns(st, m)) arrive(s, m, e.arrives, waits_too(st.what));
      }
    }
    s.halfway = goes_on;
    goes_on = goes_on && may_pass_all(s, st);
    if (!goes_on) {
      s.blocked_on = at;
      s.ready = false;
      blocked_.push_back(who);
      return false;
    }
    for (member& m : s.members) {
      if (waits_too(st.what) && concerns(st, m)) pass(s, m, e.passes);
    }
    if (st.what == op::next_single && program_->sum_of_phaser[st.slot] != k_none) {
      e.second = numbers_in(program_->sum_of_phaser[st.slot], member_of(s, st.slot)->waits - 1, k_nobody);
    }
  }
  frames_[s.top].pc = st.next;
  s.halfway = false;
  if (s.doomed) {
    program_->stuck_tasks.push_back(s.id);
    const std::uint32_t deadlock = special(k_deadlock_hash);
    outcome(s, at, deadlock, 0);
    fail(who, deadlock);
  } else if (all || st.slot != k_none) {
    outcome(s, at, 0, 0);
  }
  return strands_[who].ready;
}

// A program that is to end, or to be stuck for another reason: one of those who wait at clocks only resumes there. Who may not do
// that, or waits for room, does nothing instead.
bool interpreter::give_way_at_a_clock() {
  if (program_->stuck && random_.chance(30)) return false;
  const auto n = static_cast<unsigned>(blocked_.size());
  const unsigned first = random_.below(n);
  for (unsigned i = 0; i < n; ++i) {
    const unsigned at = (first + i) % n;
    const std::uint32_t who = blocked_[at];
    continuation& s = strands_[who];
    statement& st = program_->statements[s.blocked_on];
    const member* const m = member_of(s, st.slot);
    op instead = op::yield_now;
    if (st.what == op::advance_all || (st.what == op::next_single && st.all)) {
      instead = op::resume_all;
    } else if (st.what == op::advance_clock || st.what == op::next_single) {
      if (may_signal(m->how)) instead = op::resume_clock;
    } else if (st.what != op::wait_phaser && st.what != op::resume_clock && st.what != op::resume_all) {
      continue;
    }
    if (st.what == op::next_single && s.halfway) --program_->singles[count_of(st.slot, m->signals - 1)];
    if (!s.halfway) instead = op::yield_now;
    if (instead == op::yield_now) s.halfway = false;
    if (instead != op::resume_clock) st.slot = k_none;
    st.what = instead;
    st.all = st.by_exception = false;
    blocked_[at] = blocked_.back();
    blocked_.pop_back();
    make_ready(who);
    return true;
  }
  return false;
}

void interpreter::settle_singles() {
  program& p = *program_;
  for (slot_id c = 0; c < p.clocks; ++c) {
    for (unsigned phase = 0; phase < k_max_phases; ++phase) {
      const std::size_t place = count_of(c, phase);
      p.bodies[place] = p.singles[place] != 0 && clocks_[c].turned(phase) ? 1 : 0;
    }
  }
}

}  // namespace oracle
