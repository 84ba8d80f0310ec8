// SPDX-License-Identifier: Apache-2.0
// Members of a phaser come, signal and leave; and what a stuck program says of them.

#include <tactus/sync/impl/phaser_core.hpp>

#include "scheduler/seeded.hpp"
#include "sync/frame_of_turn.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace tactus::detail {

phaser_core::phaser_core(barrier* b, std::uint64_t key, std::uint64_t most_ahead, bool of_clock) noexcept
    : phase_hook(of_clock), key_(key), barrier_(b), room_(*b, most_ahead, lock_) {}

phaser_core::~phaser_core() = default;

void phaser_core::let_go() noexcept {
  // acq_rel: what all others did with the barrier
  if (users_.fetch_sub(1, memory_order_acq_rel) == 1) {
    barrier_->end();
  }
}

void phaser_core::ended() noexcept {
  const frame_of_turn frame(any_worker());
  const std::shared_ptr<phaser_core> last = std::move(self_);  // of a clock; its accumulators may keep it longer
}

void phaser_core::keep_itself() { self_ = shared_from_this(); }

// ---- members come and go ----

// The parent is the calling task's, null for the first member. What can fail comes before the barrier hears of the child; a child
// that signals and whose parent was pending is counted already, by the parent's credit.
void phaser_core::join(phaser_member& m, const phaser_member* parent) {
  const std::lock_guard hold(lock_);
  const bool is_waiter = room_.is_among_waiters(m);
  if (is_waiter) {
    room_.reserve_one_locked();
  } else {
    signallers_only_.reserve_one();
  }
  const bool parent_arrived = parent != nullptr && parent->arrived;
  const std::uint64_t waited = parent == nullptr || !may_wait(parent->mode) ? 0
                               : parent->mode == phaser_mode::wait_only     ? parent->waited_for()
                               : parent_arrived                             ? parent->arrived_in
                                                                            : barrier_->phase();
  m.waited.store(waited, memory_order_relaxed);  // relaxed: under the lock
  if (is_waiter) {
    room_.enter_locked(m, waited);
  }
  switch (m.mode) {
    case phaser_mode::signal_wait_next:
    case phaser_mode::signal_wait:
      if (parent_arrived) {
        barrier_->add_arrived_member(parent->arrived_in);
        m.arrived = true;
        m.arrived_in = parent->arrived_in;
      }
      return;
    case phaser_mode::wait_only:
      slow_readers_.fetch_add(1, memory_order_relaxed);  // relaxed: see oldest_needed()
      if (parent == nullptr) {
        closed_.store(true, memory_order_relaxed);  // relaxed: nobody else knows it yet
      }
      return;
    case phaser_mode::signal_only: break;
  }
  signallers_only_.enter(m);
  special_.fetch_add(1, memory_order_relaxed);  // relaxed: the change of the word below carries it (phaser P2)
  if (parent == nullptr) {
    m.given.store(given_word::k_counted, memory_order_relaxed);  // relaxed, as all here: under the lock
  } else if (parent->mode == phaser_mode::signal_only) {
    // The bit stays as it is: others write it under the lock only.
    const std::uint64_t given = parent->given.load(memory_order_relaxed);
    if ((given & given_word::k_counted) != 0) {
      barrier_->add_members(1);
    } else {
      barrier_->add_member_ahead();
    }
    m.given.store(given, memory_order_relaxed);
  } else if (parent_arrived) {
    const bool turned = barrier_->add_arrived_member(parent->arrived_in, barrier_word::k_mark);
    m.given.store((parent->arrived_in + 1) * given_word::k_signal + (turned ? given_word::k_counted : 0),
                  memory_order_relaxed);
  } else {
    m.given.store(waited * given_word::k_signal + given_word::k_counted, memory_order_relaxed);
  }
}

void phaser_core::leave(worker* w, phaser_member& m) noexcept {
  if (room_.is_among_waiters(m)) {
    room_.leave(m);
  }
  switch (m.mode) {
    case phaser_mode::signal_wait_next:
    case phaser_mode::signal_wait:
      if (m.arrived) {
        barrier_->remove_arrived_member(w, m.arrived_in);
      } else {
        barrier_->subtract(w, (std::uint64_t{m.credit} + 1) * barrier_word::k_member);
      }
      break;
    case phaser_mode::wait_only:
      slow_readers_.fetch_sub(1, memory_order_relaxed);  // relaxed: see oldest_needed()
      break;
    case phaser_mode::signal_only: {
      bool pending = false;
      {
        const std::lock_guard hold(lock_);
        signallers_only_.remove(m);
        // relaxed: others write it under the lock
        pending = (m.given.load(memory_order_relaxed) & given_word::k_counted) != 0;
        if (!pending) {
          barrier_->remove_member_ahead();  // whoever turns the phase counts the members after this
        }
      }
      if (pending) {
        barrier_->subtract(w, barrier_word::k_member);
      }
      special_.fetch_sub(1, memory_order_relaxed);  // relaxed: too high for a while does no harm
      break;
    }
  }
  let_go();
}

std::uint64_t phaser_core::phase_of(const phaser_member& m) const noexcept {
  switch (m.mode) {
    case phaser_mode::signal_only: return given_word::signals(m.given.load(memory_order_relaxed));  // relaxed: its own
    case phaser_mode::wait_only: return m.waited_for();
    case phaser_mode::signal_wait_next:
    case phaser_mode::signal_wait: break;
  }
  return m.arrived ? m.arrived_in : barrier_->phase();
}

// ---- signal ----

void phaser_core::signal(worker* w, phaser_member& m) {
  if (m.mode != phaser_mode::signal_only) {
    if (m.arrived) {
      return;
    }
    if (is_bounded()) {
      room_.wait_for_room(w, m, barrier_->phase());
    }
    resume_member(current_worker(), m);
    return;
  }
  if (is_bounded()) {
    room_.wait_for_room(w, m, given_word::signals(m.given.load(memory_order_relaxed)));  // relaxed: its own
  }
  seeded_point(current_worker());
  std::uint64_t given = m.given.load(memory_order_relaxed);  // relaxed: checked by the exchange
  // release: what the task did before, for who finds it ahead. acquire: where the bit is set, the phase has begun, and the arrival
  // below comes after that in the word (phaser P1). Both pair with turn_once()
  while (!m.given.compare_exchange_weak(given, (given + given_word::k_signal) & ~given_word::k_counted,
                                        memory_order_acq_rel, memory_order_relaxed)) {
  }
  if ((given & given_word::k_counted) != 0) {
    barrier_->subtract(current_worker(), barrier_word::k_arrival);
  }
}

// ---- stuck programs ----

// Takes all off that wait for a turn, not one: only while no worker runs.
void phaser_core::cancel(wait_point& p) {
  auto& core = *static_cast<phaser_core*>(p.object);
  core.singles_.for_each([&core](const phaser_wait_point&) {
    core.special_.fetch_sub(1, memory_order_relaxed);  // relaxed: no worker runs
  });
  core.singles_.clear();
  core.off_list_.clear();
  core.off_list_count_.store(0, memory_order_relaxed);  // relaxed: as above
}

constinit const wait_kind phaser_core::k_wait{describe, "a phaser"};

void phaser_core::describe(const wait_point& p, std::string& text) {
  const auto& here = static_cast<const phaser_wait_point&>(p);
  const auto& core = *static_cast<const phaser_core*>(p.object);
  core.barrier_->describe(text, here.phase);
}

bool phaser_core::is_awaited(const local_value& member) const noexcept {
  const auto& m = static_cast<const membership&>(member);
  if (is_clock || member.destroy != phaser_member::end) {
    return !m.arrived;
  }
  const auto& p = static_cast<const phaser_member&>(member);
  switch (p.mode) {
    case phaser_mode::wait_only: return false;
    case phaser_mode::signal_only:
      return (p.given.load(memory_order_relaxed) & given_word::k_counted) != 0;  // relaxed: nobody runs
    case phaser_mode::signal_wait_next:
    case phaser_mode::signal_wait: break;
  }
  return !m.arrived;
}

}  // namespace tactus::detail
