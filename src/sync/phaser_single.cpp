// SPDX-License-Identifier: Apache-2.0
// next_single: tasks that arrive together, of which one runs a body before the phase turns.

#include <tactus/sync/impl/phaser_core.hpp>

#include <tactus/base/impl/assert.hpp>

#include <mutex>

namespace tactus::detail {

// Where one of them waits.
struct phaser_core::single_point : phaser_wait_point {
  using phaser_wait_point::phaser_wait_point;

  bool has_arrived = false;    // the arrival was handed in
  bool runs_its_body = false;  // this is the one
};

// From the choice of the task to the end of its body: the turn of the phase is in its hands.
class phaser_core::single_in_progress {
public:
  explicit single_in_progress(phaser_core& core, phaser_member& m) noexcept : core_(core), member_(m) {
    member_.in_single = true;
    member_.goes_plainly = false;
  }
  ~single_in_progress() {
    member_.in_single = false;
    member_.goes_plainly = member_.is_plain;
    core_.special_.fetch_sub(1, memory_order_relaxed);  // relaxed: too high for a while does no harm
    const bool nobody_pending = core_.turn_once(current_worker());
    TACTUS_ALWAYS_ASSERT(!nobody_pending, "who has run the body of next_single is pending in the next phase");
    if (core_.is_bounded()) {
      core_.room_.waiter_passed(member_);
    }
  }
  single_in_progress(const single_in_progress&) = delete;
  single_in_progress& operator=(const single_in_progress&) = delete;

private:
  phaser_core& core_;
  phaser_member& member_;
};

void phaser_core::next_single(worker* w, phaser_member& m, void (*body)(void*), void* argument) {
  if (is_bounded()) {
    room_.wait_for_room(w, m, barrier_->phase());
    w = current_worker();
  }
  return_credit(w, m);
  m.arrived_in = barrier_->phase();
  m.arrived = true;
  single_point here(this, w, m.arrived_in);
  here.commit = hand_in_single;
  here.cancel = cancel;
  here.kind = &k_wait;
  here.at = barrier_;
  try {
    suspend(here);
  } catch (...) {
    m.arrived = here.has_arrived;
    throw;
  }
  m.arrived = false;
  if (here.runs_its_body) {
    const single_in_progress single(*this, m);
    body(argument);
  } else if (is_bounded()) {
    room_.waiter_passed(m);
  }
}

bool phaser_core::hand_in_single(wait_point& p) {
  auto& here = static_cast<single_point&>(p);
  auto& core = *static_cast<phaser_core*>(p.object);
  here.has_arrived = true;
  core.special_.fetch_add(1, memory_order_relaxed);  // relaxed: the arrival carries it (phaser P2)
  {
    const std::lock_guard hold(core.lock_);
    core.singles_.add(here);
  }
  core.barrier_->subtract(current_worker(), barrier_word::k_arrival);  // the task may go on elsewhere from here on
  return true;
}

// All that come this way have arrived, and nobody else looks at the list.
void phaser_core::begin_single(worker* w) noexcept {
  auto* const chosen = static_cast<single_point*>(singles_.take_first());
  chosen->runs_its_body = true;
  make_ready(w, *chosen);
}

}  // namespace tactus::detail
