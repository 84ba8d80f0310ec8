// SPDX-License-Identifier: Apache-2.0
// What the statements of a program mean: slots and members, chosen in the first run among those that fit.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "interpreter.hpp"

namespace oracle {

slot_id interpreter::any_bit(std::uint64_t mask) {
  if (mask == 0) return k_none;
  for (unsigned skip = random_.below(static_cast<unsigned>(std::popcount(mask))); skip > 0; --skip) mask &= mask - 1;
  return static_cast<slot_id>(std::countr_zero(mask));
}

void interpreter::bind_slot(const continuation& s, statement& st) {
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
      futures_at_[place_of(s)] |= std::uint64_t{1} << st.slot;
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
    case op::get_future: st.slot = any_bit(s.known.words[0] & futures_done_ & futures_at_[place_of(s)]); break;
    case op::get_promise: st.slot = any_bit(promises_done_ & promises_at_[place_of(s)]); break;
    case op::set_promise:
    case op::ask_foreign:
      if (p.promises < k_max_promises) {
        if (st.what == op::ask_foreign) p.external |= std::uint64_t{1} << p.promises;
        promises_at_[place_of(s)] |= std::uint64_t{1} << p.promises;
        st.slot = static_cast<slot_id>(p.promises++);
      }
      break;
    case op::set_again: st.slot = any_bit(s.known.words[1] & promises_at_[place_of(s)]); break;
    default: break;
  }
}

void interpreter::bind_to_clock(const continuation& s, statement& st) {
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

void interpreter::bind_single(const continuation& s, statement& st) {
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

void interpreter::bind_sum(const continuation& s, statement& st) {
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
void interpreter::bind_misuse(const continuation& s, statement& st) {
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

void interpreter::bind_clocks(const continuation& s, statement& st) {
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
