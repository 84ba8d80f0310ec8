// SPDX-License-Identifier: Apache-2.0
// Clocks: the steps, what must have been counted when a task passes on, and misuse.
#include "execution.hpp"
#include "execution_reactions.hpp"

namespace ts = tactus;

namespace oracle {

// What nobody who leaves these phases may have missed.
void execution::arrives(const clock_steps& steps) {
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    arrivals_[std::size_t{step.clock} * k_max_phases + step.phase].fetch_add(1, std::memory_order_relaxed);  // a count
  }
}

void execution::passes(statement_id at) {
  const clock_steps& steps = program_->expected[at].passes;
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    const std::size_t which = std::size_t{step.clock} * k_max_phases + step.phase;
    const unsigned arrived = arrivals_[which].load(std::memory_order_relaxed);  // relaxed: the clock is to order it
    if (arrived != program_->arrivals[which])
      differs(at, "arrivals when a task passes on", program_->arrivals[which], arrived);
    const std::uint64_t phase = clocks_[step.clock]->phase();
    if (phase != step.phase + 1u) differs(at, "the phase after an advance", step.phase + 1u, phase);
  }
}

// Resuming does not move the task's phase.
void execution::stays(statement_id at) {
  const clock_steps& steps = program_->expected[at].arrives;
  for (std::uint32_t i = 0; i < steps.count; ++i) {
    const oracle::clock_step& step = program_->steps[steps.first + i];
    const std::uint64_t phase = clocks_[step.clock]->phase();
    if (phase != step.phase) differs(at, "the phase after a resume", step.phase, phase);
  }
}

void execution::clock_step(strand& self, statement_id at) {
  const statement& s = program_->statements[at];
  if (s.slot == k_none && s.what != op::resume_all && s.what != op::advance_all) return;
  const auto how = static_cast<ts::wait>(s.hint);
  may_throw(self, at, [&] {
    arrives(program_->expected[at].arrives);
    switch (s.what) {
      case op::make_clock: clocks_[s.slot] = ts::clock::make(); break;
      case op::resume_clock: clocks_[s.slot]->resume(how); break;
      case op::advance_clock: clocks_[s.slot]->advance(how); break;
      case op::drop_clock: clocks_[s.slot]->drop(); break;
      case op::resume_all: ts::resume_all(how); break;
      default: ts::advance_all(how); break;
    }
    return std::uint64_t{0};
  });
  if (s.what == op::advance_clock || s.what == op::advance_all)
    passes(at);
  else if (s.what == op::resume_clock || s.what == op::resume_all)
    stays(at);
  if (s.slot == k_none) return;
  const bool on = clocks_[s.slot]->registered();
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
