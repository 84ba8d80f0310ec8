// SPDX-License-Identifier: Apache-2.0

#include <tactus/sync/impl/phaser_room.hpp>

#include "scheduler/task_names.hpp"

#include <algorithm>
#include <mutex>
#include <string>

namespace tactus::detail {

void phaser_room::find_slowest_locked() noexcept {
  std::uint64_t slowest = k_nobody;
  laggards_ = 0;
  for (phaser_member* m : waiters_) {
    m->seen = m->waited.load(memory_order_seq_cst);  // seq_cst: after roomless_ was raised (phaser P6)
    laggards_ = m->seen < slowest ? 1 : laggards_ + (m->seen == slowest ? 1U : 0U);
    slowest = std::min(slowest, m->seen);
  }
  looks_ += waiters_.size();
  slowest_.store(slowest, memory_order_release);  // release: what the slowest did
  // From here on whoever is seen among the slowest finds roomless_ raised when it passes.
  slowest_known_ = roomless_.load(memory_order_relaxed) != 0;  // relaxed: changed under the lock
}

// A waiter has passed, or leaves. One that was seen after it had passed counts no more.
void phaser_room::count_down_locked(phaser_member& m) noexcept {
  if (m.seen == slowest_.load(memory_order_relaxed)) {  // relaxed: under the lock
    m.seen = k_nobody;
    --laggards_;
  }
}

void phaser_room::roomless_no_more_locked(std::uint32_t n) noexcept {
  if (roomless_.fetch_sub(n, memory_order_relaxed) == n) {  // relaxed: too high for a while does no harm
    slowest_known_ = false;                                 // nobody counts down any more
  }
}

void phaser_room::wait_slowly(worker* w, phaser_member& m, std::uint64_t signalled) {
  {
    const std::lock_guard hold(lock_);
    if (!slowest_known_) {
      find_slowest_locked();
    }
  }
  if (has_room(signalled)) {
    return;
  }
  return_credit(w, m);
  phaser_wait_point here(this, w, signalled);
  here.commit = wait_for_slower;
  here.cancel = cancel;
  here.kind = &k_wait;
  suspend(here);
}

bool phaser_room::wait_for_slower(wait_point& p) {
  auto& here = static_cast<phaser_wait_point&>(p);
  auto& room = *static_cast<phaser_room*>(p.object);
  const std::lock_guard hold(room.lock_);
  room.roomless_.fetch_add(1, memory_order_seq_cst);  // seq_cst: before the look at the waiters (phaser P6)
  if (!room.slowest_known_) {
    room.find_slowest_locked();
  }
  if (room.has_room(here.phase)) {
    room.roomless_no_more_locked(1);
    return false;
  }
  room.without_room_.add(here);
  return true;
}

// Signallers that may go on, now that a waiter has passed or is about to leave. As long as others are as slow as the
// slowest was, there are none: so all waiters are looked at once each time the slowest gets on, and not each time one
// of them does.
phaser_wait_list phaser_room::take_roomy_locked(phaser_member& m) noexcept {
  if (!slowest_known_) {
    return {};  // nobody lacks room
  }
  count_down_locked(m);
  if (laggards_ != 0) {
    return {};
  }
  find_slowest_locked();
  std::uint32_t taken = 0;
  const phaser_wait_list roomy =
      without_room_.take_if(taken, [this](const phaser_wait_point& p) { return has_room(p.phase); });
  if (taken != 0) {
    roomless_no_more_locked(taken);
  }
  return roomy;
}

void phaser_room::free_roomy(phaser_member& m) noexcept {
  phaser_wait_list roomy;
  {
    const std::lock_guard hold(lock_);
    roomy = take_roomy_locked(m);
  }
  roomy.free_all();
}

void phaser_room::leave(phaser_member& m) noexcept {
  phaser_wait_list roomy;
  {
    const std::lock_guard hold(lock_);
    waiters_.remove(m);
    roomy = take_roomy_locked(m);
  }
  roomy.free_all();
}

std::uint64_t phaser_room::fewest_waits() const noexcept {
  const std::lock_guard hold(lock_);
  std::uint64_t fewest = k_nobody;
  for (const phaser_member* m : waiters_) {
    fewest = std::min(fewest, m->waited_for());
  }
  return fewest;
}

// ---- stuck programs ----

// Takes all signallers off, not one: only while no worker runs.
void phaser_room::cancel(wait_point& p) {
  auto& room = *static_cast<phaser_room*>(p.object);
  room.without_room_.clear();
  room.roomless_.store(0, memory_order_relaxed);  // relaxed: no worker runs
  room.slowest_known_ = false;
}

constinit const wait_kind phaser_room::k_wait{describe, "room to signal in a phaser"};

void phaser_room::describe(const wait_point& p, std::string& text) {
  const auto& here = static_cast<const phaser_wait_point&>(p);
  const auto& room = *static_cast<const phaser_room*>(p.object);
  room.of_.describe(text, here.phase);
  text += ": to signal, which its slowest waiter has to let it (bound " + std::to_string(room.bound_) + ")";
  if (const reported_tasks* const report = reported_tasks::now(); report != nullptr) {
    room.describe_slowest(*report, text);
  }
}

// Among the tasks of a report: they stand still.
void phaser_room::describe_slowest(const reported_tasks& report, std::string& text) const {
  const task_frame* slowest = nullptr;
  std::uint64_t fewest = 0;
  for (const task_frame* const task : report.all()) {
    for (const local_value* v = task->locals; v != nullptr; v = v->next) {
      if (v->key != of_.key() || v->destroy != phaser_member::end) {
        continue;
      }
      const auto& m = *static_cast<const phaser_member*>(v);
      if (is_among_waiters(m) && (slowest == nullptr || m.waited_for() < fewest)) {
        slowest = task;
        fewest = m.waited_for();
      }
    }
  }
  if (slowest != nullptr) {
    text += ": " + report.name(slowest) + ", which has waited for " + std::to_string(fewest) +
            (fewest == 1 ? " phase" : " phases");
  }
}

}  // namespace tactus::detail
