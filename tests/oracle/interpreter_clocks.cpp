// SPDX-License-Identifier: Apache-2.0
// Clocks, phasers and accumulators in the oracle: who has signalled and waited how often, and what was sent in which phase.
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

constexpr std::size_t place_of(slot_id clock, std::uint64_t phase) {
  return std::size_t{clock} * k_max_phases + static_cast<std::size_t>(phase);
}

template <class T>
T& grown(std::vector<T>& v, std::uint64_t at) {
  if (v.size() <= at) v.resize(static_cast<std::size_t>(at) + 1);
  return v[static_cast<std::size_t>(at)];
}

}  // namespace

const interpreter::member* interpreter::member_of(const strand& s, slot_id clock) {
  for (const member& m : s.members) {
    if (m.clock == clock) return &m;
  }
  return nullptr;
}

void interpreter::make_clock(strand& s, slot_id clock, mode how) {
  if (clock == k_none) return;
  timer& t = clocks_[clock];
  t.phase = 0;
  t.registered = may_signal(how) ? 1 : 0;
  t.ranks = 1;
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

bool interpreter::may_signal_all(const strand& s, const statement& st) const {
  return !gives_signals(st.what) || std::all_of(s.members.begin(), s.members.end(),
                                                [&](const member& m) { return !concerns(st, m) || has_room(m); });
}

bool interpreter::may_pass_all(const strand& s, const statement& st) const {
  return !waits_too(st.what) || std::all_of(s.members.begin(), s.members.end(), [&](const member& m) {
    return !concerns(st, m) || !may_wait(m.how) || clocks_[m.clock].turned(m.waits);
  });
}

void interpreter::arrive(strand& s, member& m, clock_steps& into, bool goes_on) {
  if (!may_signal(m.how) || m.arrived()) return;
  const std::uint64_t phase = m.signals++;
  const std::uint64_t after = !may_wait(m.how) ? m.signals : goes_on ? k_none : m.waits;
  record({m.clock, static_cast<std::uint16_t>(phase), static_cast<std::uint16_t>(after), false}, into);
  if (phase < k_max_phases) ++program_->arrivals[place_of(m.clock, phase)];
  timer& t = clocks_[m.clock];
  grown(t.known, phase).merge(s.known);
  --t.missing[static_cast<std::size_t>(phase)];
  ++grown(t.missing, phase + 1);
  turn(m.clock);
}

void interpreter::pass(strand& s, member& m, clock_steps& into) {
  if (!may_wait(m.how)) return;
  timer& t = clocks_[m.clock];
  if (m.waits < t.known.size()) s.known.merge(t.known[static_cast<std::size_t>(m.waits)]);
  const std::uint64_t phase = m.waits++;
  record({m.clock, static_cast<std::uint16_t>(phase), static_cast<std::uint16_t>(m.waits), true}, into);
  if (program_->bounds[m.clock] != 0 && phase < k_max_phases) ++program_->goings[place_of(m.clock, phase)];
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
    if (m.signals < k_max_phases) ++program_->arrivals[place_of(m.clock, m.signals)];
    --t.missing[static_cast<std::size_t>(m.signals)];
    --t.registered;
  }
  if (may_wait(m.how)) {
    if (program_->bounds[m.clock] != 0) {
      record({m.clock, static_cast<std::uint16_t>(m.waits), k_none, true}, into);
      if (m.waits < k_max_phases) ++program_->goings[place_of(m.clock, m.waits)];
    }
    --t.waiting[static_cast<std::size_t>(m.waits)];
  }
  turn(m.clock);
}

void interpreter::leave_made_in(strand& s, std::uint32_t finish, clock_steps& into) {
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
  strand& s = strands_[who];
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
      if (st.what == op::next_single) ++program_->singles[place_of(st.slot, member_of(s, st.slot)->signals)];
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
    strand& s = strands_[who];
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
    if (st.what == op::next_single && s.halfway) --program_->singles[place_of(st.slot, m->signals - 1)];
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
      const std::size_t place = place_of(c, phase);
      p.bodies[place] = p.singles[place] != 0 && clocks_[c].turned(phase) ? 1 : 0;
    }
  }
}

// ---- accumulators ----

void interpreter::make_sum(strand& s, slot_id sum) {
  s.known.learn(knowledge::k_sum_at + sum);
  sent_[sum].clear();
}

void interpreter::send(const strand& s, statement_id at) {
  const statement& st = program_->statements[at];
  const member& m = *member_of(s, st.slot);
  for (unsigned i = 0; i < st.count; ++i) sent_[st.sum].push_back({m.signals, m.rank, program_->sent_value(at, i)});
}

// What those have sent who were registered before `below`; and the bodies of next_single, each in the phase after its own.
std::uint64_t interpreter::numbers_in(slot_id sum, std::uint64_t phase, std::uint32_t below) const {
  std::uint64_t all = 0;
  for (const sent& x : sent_[sum]) {
    if (x.phase == phase && (below == k_nobody || x.rank < below)) all += x.value;
  }
  const statement& maker = program_->statements[program_->sum_maker[sum]];
  if (maker.what == op::make_phaser && phase != 0 && phase <= k_max_phases &&
      program_->singles[place_of(maker.slot, phase - 1)] != 0)
    all += program_->single_value(maker.slot, phase - 1);
  return all;
}

affine interpreter::maps_in(slot_id sum, std::uint64_t phase, std::uint32_t below) const {
  affine all;
  for (std::uint32_t rank = 0;
       rank < std::min(below, clocks_[program_->statements[program_->sum_maker[sum]].slot].ranks); ++rank) {
    for (const sent& x : sent_[sum]) {
      if (x.phase == phase && x.rank == rank) all = all * affine_of(x.value);
    }
  }
  return all;
}

std::uint64_t interpreter::look(const strand& s, const statement& st) const {
  const member& m = *member_of(s, st.slot);
  const bool maps = program_->kind_of(st.sum) == sum_kind::ordered_maps;
  const auto fold = [&](std::uint32_t below) {
    if (maps) return m.waits == 0 ? affine{}.hash() : maps_in(st.sum, m.waits - 1, below).hash();
    return m.waits == 0 ? 0 : numbers_in(st.sum, m.waits - 1, below);
  };
  const std::uint64_t whole = fold(k_nobody);
  return st.all ? mix(whole, mix(fold(m.rank), fold(m.rank + 1))) : whole;
}

// ---- binding ----

void interpreter::bind_to_clock(const strand& s, statement& st) {
  program& p = *program_;
  const auto any_member = [&](const auto& fits) {
    const auto n = static_cast<unsigned>(s.members.size());
    const unsigned first = n == 0 ? 0 : random_.below(n);
    for (unsigned i = 0; i < n; ++i) {
      const member& m = s.members[(first + i) % n];
      if (fits(m)) return m.clock;
    }
    return k_none;
  };
  switch (st.what) {
    case op::make_phaser:
      if (p.clocks == k_max_clocks) break;
      st.slot = static_cast<slot_id>(p.clocks++);
      p.phasers |= std::uint64_t{1} << st.slot;
      p.bounds[st.slot] = st.bound;
      if (st.wishes == 0 || p.sum_maker.size() == k_max_accumulators) break;
      st.sum = p.sum_of_phaser[st.slot] = static_cast<slot_id>(p.sum_maker.size());
      p.sum_maker.push_back(static_cast<statement_id>(&st - p.statements.data()));
      break;
    case op::resume_clock: st.slot = any_member([](const member& m) { return may_signal(m.how); }); break;
    case op::wait_phaser:
      st.slot = any_member([&](const member& m) {
        return p.is_phaser(m.clock) && may_wait(m.how) && (m.arrived() || !may_signal(m.how));
      });
      break;
    case op::advance_clock:
    case op::advance_all:
      if (st.wishes == 1) {  // many that come by next_single meet in one phase only if it is common
        bind_single(s, st);
        if (st.slot != k_none && st.all == (st.what == op::advance_all)) {
          st.what = op::next_single;
          break;
        }
      }
      st.slot = k_none;
      st.wishes = 0;
      st.all = st.by_exception = false;
      if (st.what == op::advance_clock) st.slot = any_member([](const member&) { return true; });
      break;
    case op::drop_clock: st.slot = any_member([](const member&) { return true; }); break;
    case op::next_single: bind_single(s, st); break;
    case op::misuse_clock: {
      std::uint64_t far = 0;
      for (const member& m : s.members) {
        if (m.within != s.scope && !p.is_phaser(m.clock)) far |= std::uint64_t{1} << m.clock;
      }
      if (far != 0) st.wishes = 0;  // a child on it
      if (far == 0 && st.wishes == 0) st.wishes = 1;
      st.slot = any_bit(far != 0 ? far : s.dropped & ~p.phasers);
      break;
    }
    case op::misuse_phaser: bind_misuse(s, st); break;
    default: bind_sum(s, st); break;
  }
}

void interpreter::bind_single(const strand& s, statement& st) {
  unsigned found = 0;
  slot_id chosen = k_none;
  for (const member& m : s.members) {
    if (!program_->is_phaser(m.clock) || m.how != mode::signal_wait_next) continue;
    ++found;
    if (!m.arrived() && m.signals + 1 < k_max_phases && (chosen == k_none || random_.chance(50))) chosen = m.clock;
  }
  st.slot = chosen;
  if (found != 1) st.all = false;
  // Whoever runs the body does not wait for the others when it throws, and which task that is nobody knows.
  if (st.all && s.members.size() > 1) st.by_exception = false;
}

void interpreter::bind_sum(const strand& s, statement& st) {
  program& p = *program_;
  if (st.what == op::make_sum) {
    if (s.members.empty() || p.sum_maker.size() == k_max_accumulators) return;
    st.slot = s.members[random_.below(static_cast<unsigned>(s.members.size()))].clock;
    st.sum = static_cast<slot_id>(p.sum_maker.size());
    p.sum_maker.push_back(static_cast<statement_id>(&st - p.statements.data()));
    return;
  }
  std::uint64_t fit = 0;
  for (slot_id sum = 0; sum < p.sum_maker.size(); ++sum) {
    const member* const m = member_of(s, p.statements[p.sum_maker[sum]].slot);
    if ((s.known.words[knowledge::k_sum_at / 64] >> sum & 1u) == 0 || m == nullptr) continue;
    const bool sends = may_signal(m->how) && (p.kind_of(sum) == sum_kind::numbers || m->rank != k_nobody);
    if (st.what == op::send_to_sum ? sends : may_wait(m->how)) fit |= std::uint64_t{1} << sum;
  }
  st.sum = any_bit(fit);
  if (st.sum == k_none) return;
  st.slot = p.statements[p.sum_maker[st.sum]].slot;
  st.all =
      st.what == op::look_at_sum && p.kind_of(st.sum) != sum_kind::numbers && member_of(s, st.slot)->rank != k_nobody;
}

// What the task may not do where it stands; the order is that of execution::misuse_phaser.
void interpreter::bind_misuse(const strand& s, statement& st) {
  const program& p = *program_;
  std::array<slot_id, 8> at{};
  at.fill(k_none);
  at[0] = any_bit(s.dropped & p.phasers);
  for (const member& m : s.members) {
    if (!p.is_phaser(m.clock)) continue;
    if (m.within != s.scope) at[1] = m.clock;
    if (!may_signal(m.how)) at[2] = m.clock;
    if (!may_wait(m.how)) at[3] = m.clock;
    if (may_wait(m.how) && may_signal(m.how) && !m.arrived()) at[4] = m.clock;
    if (m.how != mode::signal_wait_next || m.arrived()) at[5] = m.clock;
    if (m.how != mode::signal_wait_next) at[6] = m.clock;
    if ((!may_wait(m.how) || !may_signal(m.how)) && p.sum_of_phaser[m.clock] != k_none) at[7] = m.clock;
  }
  for (unsigned i = 0; i < at.size() && st.slot == k_none; ++i) {
    st.wishes = static_cast<std::uint8_t>((st.wishes + 1) % at.size());
    st.slot = at[st.wishes];
  }
  if (st.slot == k_none) return;
  st.how = mode::signal_wait_next;
  if (const member* const m = member_of(s, st.slot); m != nullptr) st.how = m->how;
}

void interpreter::bind_clocks(const strand& s, statement& st) {
  const program& p = *program_;
  st.clocks = 0;
  if (st.all) {
    for (const member& m : s.members) {
      if (m.within == s.scope) st.clocks |= std::uint64_t{1} << m.clock;
    }
    return;
  }
  std::array<mode, k_max_clocks> modes{};
  unsigned clocks = 0;
  unsigned phasers = 0;
  for (unsigned tries = 0; tries < 4 && clocks + phasers < st.wishes && !s.members.empty(); ++tries) {
    const member& m = s.members[random_.below(static_cast<unsigned>(s.members.size()))];
    if (m.within != s.scope || (st.clocks >> m.clock & 1u) != 0) continue;
    const bool phaser = p.is_phaser(m.clock);
    if (phaser ? clocks > 1 || (clocks == 1 && phasers == 1) : phasers > 1 || (phasers == 1 && clocks == 1)) continue;
    ++(phaser ? phasers : clocks);
    st.clocks |= std::uint64_t{1} << m.clock;
    modes[m.clock] = m.how;
    if (phaser && random_.chance(60)) {
      const auto wish = static_cast<mode>(random_.below(4));
      if (may_hand_on(m.how, wish)) modes[m.clock] = wish;
    }
  }
  st.inherits = true;
  std::size_t n = 0;
  for (slot_id c = 0; c < p.clocks; ++c) {
    if ((st.clocks >> c & 1u) == 0 || !p.is_phaser(c)) continue;
    st.modes[n++] = modes[c];
    st.inherits = st.inherits && modes[c] == member_of(s, c)->how;
  }
}

}  // namespace oracle
