// SPDX-License-Identifier: Apache-2.0

#include <tactus/sync/accumulator.hpp>

#include "sync/calling_member.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

[[noreturn]] void throw_no_member_of_clock(std::uint64_t key, const char* call) {
  throw clock_use_error(with_calling_task(
      std::string("tactus::") + call + ": clock " + std::to_string(key) +
      ": the calling task is not registered on the clock that the accumulator belongs to; spawn it with "
      "async(clocked(c), ...) from a task that is; it may have dropped the clock"));
}

[[noreturn]] void throw_no_member(const phaser_core& core, const char* call) {
  if (core.is_clock) {
    throw_no_member_of_clock(core.key(), call);
  }
  throw_not_registered(call, core);
}

// The calling task's registration where the accumulator belongs, a clock or a phaser.
membership& member_at(worker* w, const phaser_core& core, const char* call) {
  membership* const m = in_step() ? nullptr : find_member(*w->task, core.key());
  if (m == nullptr) [[unlikely]] {
    throw_no_member(core, call);
  }
  return *m;
}

const char* name_of_operator(op kind) noexcept {
  switch (kind) {
    case op::sum: return "sum";
    case op::product: return "product";
    case op::min: return "min";
    case op::max: return "max";
    case op::bit_and: return "bit_and";
    case op::bit_or: return "bit_or";
    case op::bit_xor: return "bit_xor";
    case op::logical_and: return "logical_and";
    case op::logical_or: return "logical_or";
    case op::minloc: return "minloc";
    case op::maxloc: break;
  }
  return "maxloc";
}

}  // namespace

void throw_bad_operator(op kind) {
  throw phaser_use_error(std::string("tactus::accumulator: the type has no operator ") + name_of_operator(kind) +
                         ", or no identity is known for it; use a monoid that says what is meant");
}

accumulator_home home_on(const std::shared_ptr<phaser_core>& core) {
  worker* const w = worker_of(*core, "accumulator");
  static_cast<void>(member_of(w, *core, "accumulator"));
  return {core, static_cast<std::size_t>(w->owner->size())};
}

accumulator_home home_on_clock(std::uint64_t key) {
  worker* const w = current_worker();
  if (w == nullptr) {
    if (in_step()) {
      throw_no_member_of_clock(key, "accumulator");
    }
    throw_outside_task("accumulator");
  }
  const membership* const m = find_member(*w->task, key);
  if (m == nullptr) {
    throw_no_member_of_clock(key, "accumulator");
  }
  phase_hook* hook = m->of->hook();
  if (hook == nullptr) {
    const auto made = std::make_shared<phaser_core>(m->of, key, phaser_core::k_unbounded, true);
    hook = made.get();
    made->keep_itself();
    if (!m->of->set_hook(hook)) {  // another task was first
      made->ended();
    }
  }
  return {static_cast<phaser_core*>(hook)->shared_from_this(), static_cast<std::size_t>(w->owner->size())};
}

// Whatever the number of tasks: from 64 on it is the cheapest, with one worker as with two; two tasks alone are a few ns dearer than
// with the lazy ones (bench/sync/syncbench).
strategy choose_strategy(strategy how) {
  if (how != strategy::automatic) {
    return how;
  }
  ++current_worker()->counters.made_per_worker;
  return strategy::per_worker;
}

sending_member sender_on(const phaser_core& core) {
  worker* const w = current_worker();
  if (w == nullptr) [[unlikely]] {
    if (in_step()) {
      throw_no_member(core, "accumulator::send");
    }
    throw_outside_task("accumulator::send");
  }
  membership& m = member_at(w, core, "accumulator::send");
  if (m.destroy == phaser_member::end) {
    const auto& p = static_cast<const phaser_member&>(m);
    if (!may_signal(p.mode)) [[unlikely]] {
      throw_in_mode("accumulator::send", p, "send");
    }
    if (p.mode == phaser_mode::signal_only) {
      return {w, &m, core.phase_of(p)};
    }
    if (p.in_single) {
      return {w, &m, m.arrived_in + 1};
    }
  }
  return {w, &m, m.arrived ? m.arrived_in + 1 : m.of->phase()};
}

reading_member reader_on(const phaser_core& core, const char* call) {
  worker* const w = any_worker_for(call, asked::task);
  membership& m = member_at(w, core, call);
  if (m.destroy == phaser_member::end) {
    const auto& p = static_cast<const phaser_member&>(m);
    if (!may_wait(p.mode)) [[unlikely]] {
      throw_in_mode(call, p, "read results");
    }
    if (p.in_single) {
      return {&m, m.arrived_in + 1, false};
    }
    if (p.mode == phaser_mode::wait_only) {
      return {&m, core.phase_of(p), true};
    }
  }
  return {&m, m.arrived ? m.arrived_in : m.of->phase(), false};
}

void sort_by_ordinal(std::vector<std::pair<std::uint64_t, std::size_t>>& order) noexcept {
  std::sort(order.begin(), order.end());
}

}  // namespace tactus::detail
