// SPDX-License-Identifier: Apache-2.0
// All ways to wait at a barrier but the shortest.
#include "scheduler/barrier_wait.hpp"

#include <tactus/scheduler/impl/exceptions_aside.hpp>

#include "base/poll.hpp"
#include "scheduler/seeded.hpp"

#include <chrono>
#include <cstdint>
#include <new>

namespace tactus::detail {
namespace {

constexpr std::uint32_t k_rounds_between_looks = 32;
constexpr std::chrono::nanoseconds k_longest_poll{2'000};

}  // namespace

// Makes `w` keep arrivals for this barrier, with room for one more waiter of `phase`.
void barrier::open(worker* w, std::uint64_t phase) {
  deferred_arrivals& k = w->deferred;
  if (k.of != this) {
    w->hand_in_arrivals();
  }
  waiter_list& list = shares_[static_cast<std::size_t>(w->id)].lists[phase & 1];
  if (k.list == nullptr) {
    k.open(list);
    k.of = this;
  }
  if (k.wait_next == k.wait_end && !list.grow(k.wait_next, k.wait_end)) {
    if (k.sum == 0) {
      k.close();
    }
    throw std::bad_alloc();
  }
}

bool barrier::enlist(wait_point& p) {
  static_cast<barrier*>(p.object)->append(current_worker(), p);
  return true;  // handed in when the worker turns to something else, by its loop
}

barrier::outcome barrier::arrive_and_wait(worker* w, barrier_hint hint, std::uint64_t& arrived_in) {
  constexpr auto result_of = [](bool turned) { return turned ? outcome::turned : outcome::in_vain; };
  seeded_point(w);
  const std::uint64_t phase = this->phase();
  arrived_in = phase;
  if (w->task->below != nullptr) {
    hand_over_loop_rests(w);
  }
  open(w, phase);
  if (w->deferred.run_next == w->deferred.run_end && w->exceptions->empty() && w->floats.is_of_thread()) {
    if (queued_task* const next = next_queued_member(w); next != nullptr) {
      continuation here(continuation::made_by_spawn{});
      return result_of(wait_while_member_starts(w, here, next));
    }
  }
  if (!may_poll(w, barrier_word::k_arrival, hint)) {
    return result_of(wait_as_pending(w, phase));
  }
  subtract(w, barrier_word::k_arrival);
  if (poll(w, phase)) {
    return outcome::turned;
  }
  if (has_phaser_hook()) {
    return outcome::wait_elsewhere;
  }
  try {
    return result_of(wait_arrived(w, phase, barrier_hint::lazy));
  } catch (...) {
    if (!reopen(phase)) {
      return outcome::turned;
    }
    tell_of_vain_arrival();
    throw;
  }
}

// The arrival has been handed in, and whoever is last might be about to free the waiters: so the caller takes it back first, and is
// pending again until it is on its worker's list.
bool barrier::wait_arrived(worker* w, std::uint64_t phase, barrier_hint hint) {
  seeded_point(w);
  if (hint != barrier_hint::lazy && may_poll(w, 0, hint) && poll(w, phase)) {
    return true;
  }
  if (!reopen(phase)) {
    return true;
  }
  hand_over_loop_rests(w);
  try {
    open(w, phase);
    return wait_as_pending(w, phase);
  } catch (...) {
    subtract(current_worker(), barrier_word::k_arrival);
    throw;
  }
}

bool barrier::reopen(std::uint64_t phase) noexcept {
  std::uint64_t seen = word_.load(memory_order_acquire);  // acquire: if it has turned, what members did before (C3)
  while (barrier_word::phase(seen) == static_cast<std::uint8_t>(phase)) {
    if (barrier_word::pending(seen) == 0) {
      seeded_point(current_worker());
      cpu_relax();                              // another running worker turns it right now: some ten instructions
      seen = word_.load(memory_order_acquire);  // as above
      // acquire: as above; else only the number matters
    } else if (word_.compare_exchange_weak(seen, seen + barrier_word::k_arrival, memory_order_acquire,
                                           memory_order_acquire)) {
      return true;
    }
  }
  return false;
}

// The caller is pending, its wait throws, and the phase may have been completed: what the caller does from here on is of that phase.
void barrier::tell_of_vain_arrival() noexcept {
  if (phase_hook* const h = hook(); h != nullptr) {
    h->was_in_vain();
  }
}

// This worker keeps arrivals for this barrier, has room on its list, and the caller is pending.
bool barrier::wait_as_pending(worker* w, std::uint64_t phase) {
  if (w->owner->deadlocked()) {
    subtract(w, barrier_word::k_arrival);
    return has_turned(phase);
  }
  // Other barriers' waiters are none of this one's: what is kept is handed in before they go on, which the loop does.
  if (w->has_released() && w->deferred.run_of == this && !w->seeded) {
    return go_on_with_next(w, w->next_released());
  }
  seeded_point(w);
  if (turn_as_last(w)) {
    // The members of a barrier may keep a worker busy for ever: every so often others get a turn.
    if (++w->member_rounds % k_rounds_between_looks == 0) {
      let_ready_work_go_first(w);
    }
    return true;
  }
  return park(w);
}

bool barrier::go_on_with_next(worker* w, continuation* next) {
  continuation here;
  here.finish = w->held;
  here.task = w->task;
  append(w, here);
  w->hold(next->finish);
  ++w->counters.suspensions;
  const exceptions_aside aside(w);
  {
    const own_floats_aside floats(w->floats);
    switch_to_released(w, here, next);
  }
  ++current_worker()->counters.resumptions;
  return !here.is_in_vain();
}

constinit const wait_kind barrier::k_wait{
    [](const wait_point& p, std::string& text) {
      text += static_cast<const barrier*>(p.object)->has_phaser_hook() ? "a phaser" : "a clock";
    },
    "a clock or phaser"};

bool barrier::park(worker* w) {
  wait_point here;
  here.object = this;
  here.commit = enlist;
  here.kind = &k_wait;
  here.finish = w->held;
  here.task = w->task;
  try {
    park_here(w, here, stack_pool::at_limit::refuse);
  } catch (...) {
    if (w->deferred.sum == 0) {
      w->deferred.close();
    }
    tell_of_vain_arrival();
    throw;
  }
  return !here.is_in_vain();
}

// Polling pays only if whoever is missing runs right now, on other workers.
bool barrier::may_poll(worker* w, std::uint64_t arriving, barrier_hint hint) noexcept {
  const auto workers = static_cast<std::uint64_t>(home_->size());
  if (hint == barrier_hint::lazy || workers == 1 || w->seeded || home_->oversubscribed() ||
      home_->has_work<source::before_polling>(w)) {
    return false;
  }
  const std::uint64_t seen = word_.load(memory_order_relaxed);  // relaxed: a hint
  const std::uint64_t missing =
      barrier_word::pending(seen) - barrier_word::pending(w->deferred.of == this ? w->deferred.sum : 0) - arriving;
  if (missing == 0 || missing >= workers) {
    return false;
  }
  if (hint == barrier_hint::eager) {
    return true;
  }
  share& mine = shares_[static_cast<std::size_t>(w->id)];
  if (barrier_word::registered(seen) > workers) {
    return false;
  }
  return !mine.polls.skips();
}

bool barrier::poll(worker* w, std::uint64_t phase) noexcept {
  share& mine = shares_[static_cast<std::size_t>(w->id)];  // of this worker, and the caller is a member: it stays
  if (poll_for(
          k_longest_poll, 16, [&] { return has_turned(phase); },
          [&] { return home_->has_work<source::before_polling>(w); })) {
    mine.polls.paid();
    return true;
  }
  mine.polls.was_in_vain();
  return false;
}

}  // namespace tactus::detail
