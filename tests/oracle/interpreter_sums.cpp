// SPDX-License-Identifier: Apache-2.0
// Accumulators in the oracle: what was sent in which phase.
#include <algorithm>

#include "interpreter.hpp"

namespace oracle {

void interpreter::make_sum(continuation& s, slot_id sum) {
  s.known.learn(knowledge::k_sum_at + sum);
  sent_[sum].clear();
}

void interpreter::send(const continuation& s, statement_id at) {
  const statement& st = program_->statements[at];
  const member& m = *member_of(s, st.slot);
  for (unsigned i = 0; i < st.count; ++i) sent_[st.sum].push_back({m.signals, m.rank, program_->sent_value(at, i)});
}

// What those have sent who were registered before `below`; and the bodies of next_single, each in the phase after its
// own.
std::uint64_t interpreter::numbers_in(slot_id sum, std::uint64_t phase, std::uint32_t below) const {
  std::uint64_t all = 0;
  for (const sent& x : sent_[sum]) {
    if (x.phase == phase && (below == k_nobody || x.rank < below)) all += x.value;
  }
  const statement& maker = program_->statements[program_->sum_maker[sum]];
  if (maker.what == op::make_phaser && phase != 0 && phase <= k_max_phases &&
      program_->singles[count_of(maker.slot, phase - 1)] != 0)
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

std::uint64_t interpreter::look(const continuation& s, const statement& st) const {
  const member& m = *member_of(s, st.slot);
  const bool maps = program_->kind_of(st.sum) == sum_kind::ordered_maps;
  const auto fold = [&](std::uint32_t below) {
    if (maps) return m.waits == 0 ? affine{}.hash() : maps_in(st.sum, m.waits - 1, below).hash();
    return m.waits == 0 ? 0 : numbers_in(st.sum, m.waits - 1, below);
  };
  const std::uint64_t whole = fold(k_nobody);
  return st.all ? mix(whole, mix(fold(m.rank), fold(m.rank + 1))) : whole;
}

}  // namespace oracle
