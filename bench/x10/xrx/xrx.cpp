// SPDX-License-Identifier: Apache-2.0
#include "x10/xrx/xrx.hpp"

#include <algorithm>
#include <chrono>

namespace bench::xrx {

// --- finish

void finish_state::spawned() {
  const std::lock_guard held(lock_);
  ++left_;
}

void finish_state::threw(std::exception_ptr thrown) {
  const std::lock_guard held(lock_);
  if (!first_) first_ = std::move(thrown);
}

void finish_state::child_ended(worker& self, std::exception_ptr thrown) {
  const std::lock_guard held(lock_);  // until the end: who is woken takes it before this object can go
  // Moved, so that its last owner is who catches it: ThreadSanitizer does not see the count that orders owners.
  if (thrown && !first_) first_ = std::move(thrown);
  if (--left_ != 0) return;
  if (waiter_ != nullptr) {
    self.owner.hand_over(self, *waiter_);
  } else {
    over_.notify_one();
  }
}

void finish_state::wait_inside() {
  std::unique_lock held(lock_);
  if (--left_ == 0) return;
  worker& self = pool::current();
  waiter_ = &self;
  held.unlock();
  self.owner.about_to_park(self);
  for (;;) {
    self.park();  // returns too early only when the pool is stopped
    held.lock();
    if (left_ == 0) return;
    held.unlock();
  }
}

bool finish_state::over_within(double seconds) {
  std::unique_lock held(lock_);
  return over_.wait_for(held, std::chrono::duration<double>(seconds), [this] { return left_ == 0; });
}

void finish_state::wait_outside() {
  std::unique_lock held(lock_);
  over_.wait(held, [this] { return left_ == 0; });
}

void finish_state::rethrow() const {
  if (first_) std::rethrow_exception(first_);
}

// --- clocks

/// The clock itself. Under lock(): its own, or in the baseline the place's.
class clock_state {
public:
  /// Figures 5, 9, 10 and 11: one activity less to wait for.
  void resume(pool& p, wake how) {
    locked(p, how, [this] { return arrive_locked(); });
  }

  void drop(pool& p, const registration& r) {
    locked(p, wake::lazy, [this, &r] {
      --count_;
      return r.resumed && r.phase == phase_ ? false : arrive_locked();
    });
  }

  void add(pool& p, const registration& parent) {
    const auto enter = [this, &parent] {
      ++count_;
      if (!(parent.resumed && parent.phase == phase_)) ++alive_;
    };
    if (has_clock_locks(p.kind())) {
      const std::lock_guard held(lock_);
      enter();
    } else {
      const atomic_section section(waits_at::clock);
      enter();
    }
  }

  /// Figures 6, 8 and 12: parks until the clock has left `phase`.
  void wait(pool& p, std::int64_t phase) {
    if (!has_clock_locks(p.kind())) {
      atomic_section section(waits_at::clock);
      wait_locked(p, phase, [&section] { section.await(waits_at::clock); });
    } else {
      std::unique_lock held(lock_);
      wait_locked(p, phase, [&] { await(held, waiting_, waits_at::clock); });
    }
  }

private:
  /// True if this completed the phase.
  bool arrive_locked() {
    if (--alive_ != 0) return false;
    alive_ = count_;
    ++phase_;
    return true;
  }

  /// Runs `arrive` and wakes whom the scheme wakes after it.
  template <class F>
  void locked(pool& p, wake how, const F& arrive) {
    if (!has_clock_locks(p.kind())) {
      const atomic_section section(waits_at::clock);
      arrive();
    } else {
      const std::lock_guard held(lock_);
      const bool completes = arrive();
      if (completes || !is_lazy(p.kind(), how)) p.wake_all(waiting_, waits_at::clock);
    }
  }

  template <class F>
  void wait_locked(pool& p, std::int64_t phase, const F& park) {
    if (phase_ > phase) return;
    bump(p.counters.clock_waits);
    for (;;) {
      park();
      if (phase_ > phase) return;
      bump(p.counters.clock_vain);
    }
  }

  std::mutex lock_;
  std::int64_t phase_ = 1;
  std::uint64_t count_ = 1;
  std::uint64_t alive_ = 1;
  std::vector<waiter> waiting_;
};

namespace {

std::vector<registration>& registrations() { return pool::current().current->clocks; }

registration* find(const clock_state* state) {
  auto& all = registrations();
  const auto at =
      std::find_if(all.begin(), all.end(), [state](const registration& r) { return r.clock.get() == state; });
  return at == all.end() ? nullptr : &*at;
}

registration& registered(const clock_state* state, const char* operation) {
  registration* const r = find(state);
  if (r == nullptr) throw clock_use_error(std::string(operation) + ": the activity is not registered on the clock");
  return *r;
}

void resume(pool& p, registration& r, wake how) {
  if (r.resumed) return;
  r.clock->resume(p, how);
  r.resumed = true;
}

void advance(pool& p, registration& r, wake how) {
  resume(p, r, how);
  r.clock->wait(p, r.phase);
  ++r.phase;
  r.resumed = false;
  bump(p.counters.advances);
}

}  // namespace

clock clock::make() {
  auto state = std::make_shared<clock_state>();
  registrations().push_back({state, 1, false});
  return clock(std::move(state));
}

void clock::resume(wake how) const { xrx::resume(pool::current().owner, registered(state_.get(), "resume"), how); }

void clock::advance(wake how) const { xrx::advance(pool::current().owner, registered(state_.get(), "advance"), how); }

void clock::drop() const {
  const registration r = registered(state_.get(), "drop");
  std::erase_if(registrations(), [&r](const registration& other) { return other.clock == r.clock; });
  state_->drop(pool::current().owner, r);
}

std::int64_t clock::phase() const { return registered(state_.get(), "phase").phase; }

bool clock::is_registered() const { return find(state_.get()) != nullptr; }

void advance_all(wake how) {
  pool& p = pool::current().owner;
  for (registration& r : registrations()) resume(p, r, how);
  for (registration& r : registrations()) advance(p, r, how);
}

void drop_all(activity& a) {
  pool& p = pool::current().owner;
  for (const registration& r : a.clocks) r.clock->drop(p, r);
  a.clocks.clear();
}

void register_on(activity& child, const clocked& clocks) {
  pool& p = pool::current().owner;
  for (const auto& state : clocks.states) registered(state.get(), "async clocked");  // before anything changes
  for (const auto& state : clocks.states) {
    const registration& parent = registered(state.get(), "async clocked");
    state->add(p, parent);
    child.clocks.push_back(parent);
  }
}

// --- waiting

void await(std::unique_lock<std::mutex>& held, std::vector<waiter>& waiting, waits_at place) {
  worker& self = pool::current();
  pool& p = self.owner;
  p.throw_if_stopped();
  waiting.push_back({&self, place});
  held.unlock();  // then the rest, as in figure 8; X10's Monitor looks for the replacement before it unlocks
  p.about_to_park(self);
  self.park();
  held.lock();
  if (p.is_stopped()) {
    std::erase_if(waiting, [&self](const waiter& w) { return w.thread == &self; });
    p.woken_by_stop(self);
    p.throw_if_stopped();
  }
}

}  // namespace bench::xrx
