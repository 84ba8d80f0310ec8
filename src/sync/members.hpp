// SPDX-License-Identifier: Apache-2.0
// All registrations of a task, on clocks and phasers alike.
#pragma once

#include <tactus/sync/clock.hpp>
#include <tactus/sync/impl/phaser_core.hpp>

namespace tactus::detail {

inline bool is_on_phaser(const membership& m) noexcept { return m.destroy == phaser_member::end; }

/// The task's memberships one by one; f may not change which there are. Returns how many there are.
template <class F>
int for_each_member(const task_frame& task, F&& f) {
  int n = 0;
  for (local_value* v = task.locals; v != nullptr; v = v->next) {
    if (v->destroy == membership::end || v->destroy == phaser_member::end) {
      ++n;
      f(*static_cast<membership*>(v));
    }
  }
  return n;
}

inline barrier_hint hint_of(wait how) noexcept {
  switch (how) {
    case wait::eager: return barrier_hint::eager;
    case wait::lazy: return barrier_hint::lazy;
    case wait::automatic: break;
  }
  return barrier_hint::automatic;
}

/// What next and advance_all do in each of their two rounds, as far as the mode allows.
void signal_member(worker* w, membership& m);
void wait_member(worker* w, membership& m, barrier_hint hint);

/// phaser_use_error, which names the call, if the task runs a body of next_single there.
void refuse_in_single(const membership& m, const char* call);

/// Whether advancing is all that next has to do.
bool is_plain_member(const membership& m) noexcept;

}  // namespace tactus::detail
