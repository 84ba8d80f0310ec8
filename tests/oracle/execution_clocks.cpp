// SPDX-License-Identifier: Apache-2.0
// Clocks: the steps, what must have been counted when a task passes on, and misuse.
#include "execution.hpp"
#include "execution_reactions.hpp"

namespace ts = tactus;

namespace oracle {

namespace {

std::size_t place_of(const oracle::clock_step& step) { return std::size_t{step.clock} * k_max_phases + step.phase; }

}  // namespace

// What nobody who leaves these phases may have missed.
void execution::arrives(const clock_steps& steps) {
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    if (step.phase >= k_max_phases) continue;
    (step.waits ? goings_ : board_.arrivals)[place_of(step)].fetch_add(1, std::memory_order_relaxed);  // a count
  }
}

// What nobody who signals too far ahead may have missed.
void execution::goes(statement_id at) {
  const clock_steps& steps = program_->expected[at].passes;
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    if (step.phase >= k_max_phases || program_->bounds[step.clock] == 0) continue;
    goings_[place_of(step)].fetch_add(1, std::memory_order_relaxed);  // a count
  }
}

void execution::passes(statement_id at) {
  const clock_steps& steps = program_->expected[at].passes;
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    const std::uint64_t phase = phase_at(step.clock);
    if (phase != step.after) differs(at, "the phase after an advance", step.after, phase);
    if (step.phase >= k_max_phases) continue;
    const std::size_t which = place_of(step);
    const unsigned arrived =
        board_.arrivals[which].load(std::memory_order_relaxed);  // relaxed: the clock is to order it
    if (arrived != program_->arrivals[which])
      differs(at, "arrivals when a task passes on", program_->arrivals[which], arrived);
    if (program_->is_phaser(step.clock)) look_at_single(at, which);
  }
}

// Resuming does not move the phase of a task that waits, too.
void execution::stays(statement_id at) {
  const clock_steps& steps = program_->expected[at].arrives;
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    look_at_room(at, step);
    if (step.after == k_none) continue;
    const std::uint64_t phase = phase_at(step.clock);
    if (phase != step.after) differs(at, "the phase after a resume", step.after, phase);
  }
}

// There is a call for all clocks, and none for phasers.
void execution::resume_everywhere(statement_id at) {
  const statement& s = program_->statements[at];
  const clock_steps& steps = program_->expected[at].arrives;
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const slot_id clock = program_->steps[steps.first + i].clock;
    if (program_->is_phaser(clock)) phasers_[clock]->signal();
  }
  ts::resume_all(static_cast<ts::wait>(s.hint));
}

void execution::clock_step(continuation& self, statement_id at) {
  const statement& s = program_->statements[at];
  if (s.slot == k_none && s.what != op::resume_all && s.what != op::advance_all) return;
  const auto how = static_cast<ts::wait>(s.hint);
  const bool on_phaser = program_->is_phaser(s.slot);
  may_throw(self, at, [&] {
    arrives(program_->expected[at].arrives);
    goes(at);
    switch (s.what) {
      case op::make_clock: clocks_[s.slot] = ts::clock::make(); break;
      case op::make_phaser: make_phaser(at); break;
      case op::resume_clock: on_phaser ? phasers_[s.slot]->signal() : clocks_[s.slot]->resume(how); break;
      case op::advance_clock: on_phaser ? phasers_[s.slot]->next(how) : clocks_[s.slot]->advance(how); break;
      case op::wait_phaser: phasers_[s.slot]->wait(how); break;
      case op::next_single: next_single(self, at); break;
      case op::drop_clock: on_phaser ? phasers_[s.slot]->drop() : clocks_[s.slot]->drop(); break;
      case op::resume_all: resume_everywhere(at); break;
      default: s.carries == baggage::little ? ts::advance_all(how) : ts::next(how); break;
    }
    return std::uint64_t{0};
  });
  if (s.what != op::drop_clock) {
    passes(at);
    stays(at);
  }
  if (s.slot == k_none) return;
  const bool on = is_registered(s.slot);
  if (on != (s.what != op::drop_clock)) differs(at, "whether a task is registered", on ? 0 : 1, on ? 1 : 0);
}

void execution::misuse_clock(statement_id at) {
  const statement& s = program_->statements[at];
  const ts::clock& c = *clocks_[s.slot];
  switch (s.wishes) {
    case 0:
      ts::async(ts::clocked(c), [this, at] { differs(at, "a task that must not be registered ran", 0, 1); });
      break;
    case 1: c.advance(); break;
    default: c.resume(); break;
  }
  differs(at, "misuse of a clock is not noticed", 1, 0);
}

}  // namespace oracle
