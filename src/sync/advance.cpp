// SPDX-License-Identifier: Apache-2.0

#include "sync/advance.hpp"

#include <tactus/base/error.hpp>

#include "scheduler/scheduler.hpp"
#include "sync/members.hpp"

#include <string>
#include <utility>

namespace tactus::detail {
namespace {

TACTUS_NOINLINE void wait_after_arrival(worker* w, membership& m, barrier_hint hint) {
  if (is_on_phaser(m)) {
    static_cast<phaser_member&>(m).core->wait(w, static_cast<phaser_member&>(m), hint);
    return;
  }
  if (!m.of->wait_arrived(w, m.arrived_in, hint)) {
    throw_stuck(m);
  }
  m.arrived = false;
}

TACTUS_NOINLINE void advance_otherwise(worker* w, membership& m, barrier_hint hint) {
  if (m.arrived) {
    wait_after_arrival(w, m, hint);
    return;
  }
  return_credit(w, m);
  const barrier::outcome end = m.of->arrive_and_wait(w, hint, m.arrived_in);
  if (end == barrier::outcome::turned) [[likely]] {
    return;
  }
  m.arrived = true;
  if (end == barrier::outcome::in_vain) {
    throw_stuck(m);
  }
  wait_after_arrival(current_worker(), m, barrier_hint::lazy);
}

}  // namespace

TACTUS_NOINLINE void fail_to_advance(membership& m, const continuation& here) {
  m.arrived_in = here.in_vain_since;
  m.arrived = true;
  throw_stuck(m);
}

TACTUS_NOINLINE void advance_or_start(worker* w, membership& m, barrier_hint hint) {
  queued_task* const next = m.credit != 0 || m.arrived ? nullptr : m.of->take_member_to_start(w);
  if (next == nullptr) {
    advance_otherwise(w, m, hint);  // the last thing here, so that this frame is gone meanwhile
    return;
  }
  continuation here(continuation::made_by_spawn{});
  if (!m.of->wait_while_member_starts(w, here, next)) [[unlikely]] {
    fail_to_advance(m, here);
  }
}

void throw_stuck(const membership& m) {
  std::string text = "tactus: deadlock: the wait for ";
  m.of->describe(text, m.arrived_in);  // the barrier's own phase may move while others leave
  throw deadlock_error(text + " can never end");
}

void return_credit(worker* w, membership& m) noexcept {
  if (m.credit != 0) {
    m.of->subtract_later(w, std::exchange(m.credit, 0) * barrier_word::k_member);
  }
}

void resume_member(worker* w, membership& m) noexcept {
  if (m.arrived) {
    return;
  }
  return_credit(w, m);
  m.arrived_in = m.of->phase();
  m.arrived = true;
  m.of->subtract(w, barrier_word::k_arrival);
}

void advance_member(worker* w, membership& m, barrier_hint hint) {
  if (!advance_at_once(w, m)) {
    advance_or_start(w, m, hint);  // the last thing here
  }
}

void advance_all_verb::operator()(wait how) const {
  if (in_step()) {
    return;
  }
  worker* const w = worker_for("next (advance_all)");
  const task_frame& task = *w->task;
  membership* only = nullptr;
  const int n = for_each_member(task, [&only](membership& m) {
    refuse_in_single(m, "next (advance_all)");
    only = &m;
  });
  if (n == 1 && is_plain_member(*only)) {
    advance_member(w, *only, hint_of(how));
    return;
  }
  for_each_member(task, [](membership& m) { signal_member(current_worker(), m); });
  for_each_member(task, [how](membership& m) { wait_member(current_worker(), m, hint_of(how)); });
}

void resume_all_verb::operator()() const {
  if (in_step()) {
    return;
  }
  worker* const w = worker_for("resume_all");
  for_each_member(*w->task, [w](membership& m) {
    if (!is_on_phaser(m)) {
      resume_member(w, m);
    }
  });
}

}  // namespace tactus::detail
