// SPDX-License-Identifier: Apache-2.0
// Phasers and accumulators: the steps, bodies of next_single, what a bound has to keep back, and misuse.
#include "execution.hpp"
#include "execution_locals.hpp"
#include "execution_reactions.hpp"

namespace ts = tactus;

namespace oracle {
namespace {

ts::strategy strategy_of(const statement& s) {
  switch (s.way) {
    case sum_way::dynamic_lazy: return ts::strategy::dynamic_lazy;
    case sum_way::fixed_lazy: return ts::strategy::fixed_lazy(s.count);
    case sum_way::tree: return ts::strategy::tree;
    case sum_way::eager: return ts::strategy::eager;
    case sum_way::eager_with_delay: return ts::strategy::eager_with_delay(ts::delay_function::exponential, 5, 10);
    case sum_way::per_worker: return ts::strategy::per_worker;
    case sum_way::automatic: break;
  }
  return ts::strategy::automatic;
}

}  // namespace

std::uint64_t execution::phase_at(slot_id clock) const {
  return program_->is_phaser(clock) ? phasers_[clock]->phase() : clocks_[clock]->phase();
}

bool execution::is_registered(slot_id clock) const {
  return program_->is_phaser(clock) ? phasers_[clock]->registered() : clocks_[clock]->registered();
}

// A task has passed a phase: if some have come by next_single, one of their bodies has run.
void execution::look_at_single(statement_id at, std::size_t which) {
  const std::uint64_t runs = board_.singles_run[which];
  if (runs != program_->bodies[which])
    differs(at, "bodies of next_single when a task passes on", program_->bodies[which], runs);
  const std::uint64_t wanted =
      program_->bodies[which] == 0
          ? 0
          : program_->single_value(static_cast<slot_id>(which / k_max_phases), which % k_max_phases);
  if (singles_wrote_[which] != wanted) differs(at, "what a body of next_single wrote", wanted, singles_wrote_[which]);
}

// A task has signalled: nobody who waits may be further behind than the bound.
void execution::look_at_room(statement_id at, const oracle::clock_step& step) {
  const unsigned bound = program_->bounds[step.clock];
  if (bound == 0 || step.phase < bound || step.phase >= k_max_phases) return;
  const std::size_t which = std::size_t{step.clock} * k_max_phases + step.phase - bound;
  const unsigned gone = goings_[which].load(std::memory_order_relaxed);  // relaxed: the phaser is to order it
  if (gone != program_->goings[which])
    differs(at, "waits when a task signals as far ahead as the bound lets it", program_->goings[which], gone);
}

void execution::make_phaser(statement_id at) {
  const statement& s = program_->statements[at];
  const auto how = static_cast<ts::phaser_mode>(s.how);
  phasers_[s.slot] = s.bound == 0 ? ts::phaser(how) : ts::phaser(how, ts::bound{s.bound});
  if (s.sum != k_none) number_sums_[s.sum].emplace(*phasers_[s.slot], ts::op::sum, strategy_of(s));
}

void execution::body_of_single(const continuation& self, statement_id at, std::uint64_t phase) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  const std::size_t which = std::size_t{s.slot} * k_max_phases + phase;
  if (self.own_task && self.local_is_set && *local_number != mix(p.salt, self.id))
    differs(at, "a number in task_local, seen by a body of next_single", mix(p.salt, self.id), *local_number);
  const unsigned arrived =
      board_.arrivals[which].load(std::memory_order_relaxed);  // relaxed: the phaser is to order it
  if (arrived != p.arrivals[which]) differs(at, "arrivals when next_single runs a body", p.arrivals[which], arrived);
  if (++board_.singles_run[which] != 1) differs(at, "bodies of next_single in a phase", 1, board_.singles_run[which]);
  if (s.hint != 0) ts::yield();
  if (const slot_id sum = p.sum_of_phaser[s.slot]; sum != k_none) {
    const std::uint64_t found = number_sums_[sum]->result();
    if (!p.stuck && found != p.expected[at].second)
      differs(at, "a result, seen by a body of next_single", p.expected[at].second, found);
    number_sums_[sum]->send(p.single_value(s.slot, phase));
  }
  if (s.hint == 2) ts::yield();
  singles_wrote_[which] = p.single_value(s.slot, phase);
  if (s.by_exception) throw_leaf(at);
}

// Which task runs its body is not known, and so what that throws may not be seen outside.
void execution::next_single(continuation& self, statement_id at) {
  const program& p = *program_;
  const statement& s = p.statements[at];
  const clock_steps& steps = p.expected[at].arrives;
  std::uint64_t phase = k_max_phases;
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    if (p.steps[steps.first + i].clock == s.slot) phase = p.steps[steps.first + i].phase;
  }
  bool ran = false;
  bool threw = false;
  const auto body = [&] {
    ran = true;
    body_of_single(self, at, phase);
  };
  try {
    if (s.all)
      ts::next_single(body);
    else
      phasers_[s.slot]->next_single(body);
  } catch (...) {
    if (!ran || !s.by_exception || hash_of_current() != p.hash_of_leaf(at)) throw;
    threw = true;
  }
  if (threw != (ran && s.by_exception)) differs(at, "exception of a body of next_single", p.hash_of_leaf(at), 0);
}

void execution::make_sum(statement_id at) {
  const statement& s = program_->statements[at];
  if (s.adds == sum_kind::ordered_maps) {
    const ts::monoid maps{affine{}, compose{}};
    if (program_->is_phaser(s.slot))
      map_sums_[s.sum].emplace(*phasers_[s.slot], maps, strategy_of(s));
    else
      map_sums_[s.sum].emplace(*clocks_[s.slot], maps, strategy_of(s));
  } else if (program_->is_phaser(s.slot)) {
    number_sums_[s.sum].emplace(*phasers_[s.slot], ts::op::sum, strategy_of(s));
  } else {
    number_sums_[s.sum].emplace(*clocks_[s.slot], ts::op::sum, strategy_of(s));
  }
}

void execution::send_to_sum(statement_id at) {
  const statement& s = program_->statements[at];
  for (unsigned i = 0; i < s.count; ++i) {
    const std::uint64_t value = program_->sent_value(at, i);
    if (program_->kind_of(s.sum) == sum_kind::ordered_maps)
      map_sums_[s.sum]->send(affine_of(value));
    else
      number_sums_[s.sum]->send(value);
  }
}

std::uint64_t execution::look_at_sum(statement_id at) const {
  const statement& s = program_->statements[at];
  if (program_->kind_of(s.sum) == sum_kind::ordered_maps) {
    const auto& sum = *map_sums_[s.sum];
    const std::uint64_t result = sum.result().hash();
    return s.all ? mix(result, mix(sum.scan().hash(), sum.scan_inclusive().hash())) : result;
  }
  const auto& sum = *number_sums_[s.sum];
  const std::uint64_t result = sum.result();
  return s.all ? mix(result, mix(sum.scan(), sum.scan_inclusive())) : result;
}

// The order is that of interpreter::bind_misuse.
void execution::misuse_phaser(statement_id at) {
  const statement& s = program_->statements[at];
  const ts::phaser& ph = *phasers_[s.slot];
  const auto never = [this, at] { differs(at, "a task that must not be registered ran", 0, 1); };
  switch (s.wishes) {
    case 0: ph.next(); break;
    case 1: ts::async(ts::phased(ph), never); break;
    case 2: ph.signal(); break;
    case 3:
    case 4: ph.wait(); break;
    case 5: ph.next_single([] {}); break;
    case 6: ts::async(ts::phased(ph.as(ts::phaser_mode::signal_wait_next)), never); break;
    default:
      if (may_signal(s.how))
        static_cast<void>(number_sums_[program_->sum_of_phaser[s.slot]]->result());
      else
        number_sums_[program_->sum_of_phaser[s.slot]]->send(1);
      break;
  }
  differs(at, "misuse of a phaser is not noticed", 1, 0);
}

}  // namespace oracle
