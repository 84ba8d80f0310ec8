// SPDX-License-Identifier: Apache-2.0
// A phase of a phaser turns, and those who wait for that go on.

#include <tactus/sync/impl/accumulator_base.hpp>
#include <tactus/sync/impl/phaser_core.hpp>

#include "scheduler/seeded.hpp"
#include "sync/frame_of_turn.hpp"

#include <memory>
#include <mutex>

namespace tactus::detail {

bool phaser_core::has_passed(std::uint64_t phase) const noexcept {
  // acquire: what the last of those who signalled did; pairs with turn_once()
  return closed_.load(memory_order_acquire) || barrier_->phase_by_anyone() > phase;
}

void phaser_core::wait(worker* w, phaser_member& m, barrier_hint hint) {
  seeded_point(w);
  if (m.mode == phaser_mode::wait_only) {
    const std::uint64_t phase = m.waited_for();
    if (!has_passed(phase) && !barrier_->has_turned_soon(w, phase, hint)) {
      wait_off_list(w, phase);
    }
    if (!is_bounded()) {
      m.waited.store(phase + 1, memory_order_relaxed);  // relaxed: read by others for what they may forget
    }
  } else {
    if (!barrier_->has_turned_soon(w, m.arrived_in, hint)) {
      wait_off_list(w, m.arrived_in);
    }
    m.arrived = false;
  }
  if (is_bounded()) {
    room_.waiter_passed(m);
  }
}

void phaser_core::wait_off_list(worker* w, std::uint64_t phase) {
  phaser_wait_point here(this, w, phase);
  here.commit = wait_for_turn;
  here.cancel = cancel;
  here.kind = &k_wait;
  here.at = barrier_;
  suspend(here);
}

bool phaser_core::wait_for_turn(wait_point& p) {
  auto& here = static_cast<phaser_wait_point&>(p);
  auto& core = *static_cast<phaser_core*>(p.object);
  const std::lock_guard hold(core.lock_);
  core.off_list_count_.fetch_add(1, memory_order_seq_cst);  // seq_cst: before the look at the phase (phaser P3)
  if (core.has_passed(here.phase)) {
    core.off_list_count_.fetch_sub(1, memory_order_relaxed);  // relaxed: too high for a while does no harm
    return false;
  }
  core.off_list_.add(here);
  return true;
}

// Those that wait for a phase before this one.
phaser_wait_list phaser_core::take_off_list_locked(std::uint64_t before) noexcept {
  std::uint32_t taken = 0;
  const phaser_wait_list passed =
      off_list_.take_if(taken, [before](const phaser_wait_point& p) { return p.phase < before; });
  if (taken != 0) {
    off_list_count_.fetch_sub(taken, memory_order_relaxed);  // relaxed: under the lock, and too high does no harm
  }
  return passed;
}

void phaser_core::free_off_list(worker* /*w*/, std::uint64_t phase) noexcept {
  phaser_wait_list ready;
  {
    const std::lock_guard hold(lock_);
    ready = take_off_list_locked(phase + 1);
  }
  ready.free_all();
}

// ---- the phase turns ----

void phaser_core::turn(worker* w) noexcept {
  const std::shared_ptr<phaser_core> self = shared_from_this();  // tasks that go on may be the last who know it
  keep();
  do {
    complete(w, barrier_->phase_to_turn());
    if (!singles_.is_empty()) {
      begin_single(w);
      break;  // that task turns the phase, after its body
    }
  } while (turn_once(w));
  let_go();
}

// Nobody is pending. True: nobody is in the next phase, either.
bool phaser_core::turn_once(worker* w) noexcept {
  const barrier::waiting_ranges waiting = barrier_->collect(w);
  phaser_wait_list passed;
  phaser_wait_list arrived;
  std::uint64_t guard = 1;  // keeps the next phase until all is done
  bool last = false;
  {
    // With the lock, so that signallers that come, or leave ahead of the phase, find the word and their bits in step
    // (phaser P1).
    const std::lock_guard hold(lock_);
    last = barrier_->publish(guard) == 0;
    const std::uint64_t phase = barrier_->phase_to_turn();
    for (phaser_member* m : signallers_only_) {
      std::uint64_t given = m->given.load(memory_order_acquire);  // acquire: what it did; pairs with signal()
      while (given_word::signals(given) <= phase) {
        // release: this phase has begun; pairs with signal() (phaser P1). acquire on failure: as above
        if (m->given.compare_exchange_weak(given, given | given_word::k_counted, memory_order_release,
                                           memory_order_acquire)) {
          break;
        }
      }
      guard += given_word::signals(given) > phase ? 1U : 0U;
    }
    if (!last) {
      arrived = singles_.take_all();
      if (!off_list_.is_empty()) {
        passed = take_off_list_locked(phase);
      }
    }
  }
  if (last) {  // nobody can bring in another signaller: whoever still waits passes from now on
    if (news_.load(memory_order_acquire)) {  // acquire: pairs with add() and make_sender()
      take_news();  // of one that was ahead, and has sent for the first time, and left, since complete()
    }
    const frame_of_turn frame(w);              // as in complete()
    const own_floats_aside floats(w->floats);  // as there
    const std::uint64_t oldest = oldest_needed();
    for (const auto& a : active_) {
      a->complete_rest(w, barrier_->phase_to_turn(), oldest);
    }
    const std::lock_guard hold(lock_);
    closed_.store(true, memory_order_release);  // release: what all did who have signalled
    passed = take_off_list_locked(~std::uint64_t{0});
  }
  arrived.for_each([this](const phaser_wait_point&) {
    special_.fetch_sub(1, memory_order_relaxed);  // relaxed: too high for a while does no harm
  });
  barrier::release(w, waiting);
  passed.free_all();
  arrived.free_all();
  seeded_point(current_worker());  // all go on but for the guard
  return barrier_->remove_guard(guard) && !last;
}

}  // namespace tactus::detail
