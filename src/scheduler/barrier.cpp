// SPDX-License-Identifier: Apache-2.0
#include <tactus/scheduler/impl/barrier.hpp>

#include <tactus/base/impl/assert.hpp>

#include "base/probe.hpp"
#include "scheduler/report_gate.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/seeded.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

barrier::barrier(scheduler* home) : home_(home), shares_(static_cast<std::size_t>(home->size())) {
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    shares_[i].range.target = &home->at(static_cast<int>(i));
  }
}

void barrier::begin(std::uint64_t key, std::uint64_t members) noexcept {
  key_ = key;
  ordinals_.store(k_ordinals, memory_order_relaxed);  // relaxed, as all here: its members come to know it later
  phase_.store(0, memory_order_relaxed);              // relaxed, as the word: its members come to know it later
  // relaxed: nobody else knows it yet
  word_.store(barrier_word::make(0, members), memory_order_relaxed);
}

void barrier::end() noexcept {
  // acquire: what is in it. relaxed: nobody knows the barrier any more
  if (phase_hook* const h = hook_.exchange(nullptr, memory_order_acquire); h != nullptr) {
    h->ended();
  }
  for (share& s : shares_) {
    for (waiter_list& list : s.lists) {
      list.shrink();
    }
    s.polls.forget();
  }
  home_->put_barrier(this);
}

// ---- members come and go ----

bool barrier::add_arrived_member(std::uint64_t phase, std::uint64_t mark) noexcept {
  const auto here = static_cast<std::uint8_t>(phase);
  std::uint64_t seen = word_.load(memory_order_relaxed);  // relaxed: checked by the exchange
  std::uint64_t then = 0;
  do {
    // If the phase has turned, the caller is pending in the next one, which therefore stays.
    then = barrier_word::phase(seen) == here ? (seen + barrier_word::k_registration) | mark
                                             : seen + barrier_word::k_member;
    // release: that the phase is special now (phaser P2); else only the numbers matter, for what the new member reads
    // it gets from its
    // parent (C4)
  } while (!word_.compare_exchange_weak(seen, then, memory_order_release, memory_order_relaxed));
  return barrier_word::phase(seen) != here;
}

void barrier::remove_arrived_member(worker* w, std::uint64_t phase) noexcept {
  seeded_point(w);
  const auto here = static_cast<std::uint8_t>(phase);
  std::uint64_t seen = word_.load(memory_order_relaxed);  // relaxed: checked by the exchange
  while (barrier_word::phase(seen) == here) {
    // If nobody is pending, the phase is being turned by somebody who counts the members after this (C5).
    // release: what the caller did before
    if (word_.compare_exchange_weak(seen, seen - barrier_word::k_registration, memory_order_release,
                                    memory_order_relaxed)) {
      return;
    }
  }
  subtract(w, barrier_word::k_member);
}

void barrier::subtract(worker* w, std::uint64_t what) noexcept {
  subtract_later(w, what);
  w->hand_in_arrivals();
}

void barrier::subtract_later(worker* w, std::uint64_t what) noexcept {
  seeded_point(w);
  deferred_arrivals& k = w->deferred;
  if (k.of != this) {
    w->hand_in_arrivals();
    k.of = this;
  }
  k.sum += what;
  if (w->seeded) {
    hand_in(w);
  }
}

void barrier::hand_in(worker* w) noexcept {
  deferred_arrivals& k = w->deferred;
  TACTUS_ASSERT(k.of == this && k.sum != 0, "a worker hands in arrivals that it has kept for this barrier");
  if (k.list != nullptr) {
    k.list->end_at(k.wait_next);
  }
  const std::uint64_t sum = k.sum;
  k.close();
  // acq_rel: publishes what the members did and who waits; takes over the others' for whoever is last (C1, C3)
  const std::uint64_t before = word_.fetch_sub(sum, memory_order_acq_rel);
  if (barrier_word::pending(before) != barrier_word::pending(sum)) {
    return;  // perhaps gone by now
  }
  if (barrier_word::registered(before) == barrier_word::registered(sum) && !has_phaser_hook()) {
    end();
  } else {
    turn(w);
  }
}

// ---- the phase turns ----

// Nobody is pending, so this worker alone may turn it. Members that have arrived may still leave, or bring others in; none comes
// onto a list, so the waiters can be collected before. Afterwards, if there are none and the caller has left, nothing keeps the
// others from turning two more phases, which use the same lists again, or from ending the barrier (C8).
void barrier::turn(worker* w) noexcept {
  seeded_point(w);
  if (phase_hook* const h = hook(); h != nullptr) [[unlikely]] {
    if (!h->is_clock) {
      h->turn(w);
      return;
    }
    h->complete(w, phase_.load(memory_order_relaxed));  // relaxed: nobody else writes it now
  }
  const std::uint64_t phase = phase_.load(memory_order_relaxed);  // relaxed: nobody else writes it now
  phase_.store(phase + 1, memory_order_relaxed);                  // relaxed: published by the word
  const waiting_ranges waiting = collect(w, phase);
  std::uint64_t seen = word_.load(memory_order_acquire);  // acquire: who has left meanwhile
  for (;;) {
    const std::uint64_t members = barrier_word::registered(seen);
    if (members == 0) {
      end();
      return;
    }
    // release: the phase, and what everybody did before; pairs with has_turned() (C3). acquire on failure: as above
    if (word_.compare_exchange_weak(seen, barrier_word::make(static_cast<std::uint8_t>(phase + 1), members),
                                    memory_order_release, memory_order_acquire)) {
      break;
    }
  }
  seeded_point(w);
  release(w, waiting);
}

// The common way to turn it: all that is pending are arrivals that this worker has kept, and one step does both.
bool barrier::turn_as_last(worker* w) noexcept {
  deferred_arrivals& k = w->deferred;
  const std::uint64_t sum = k.sum + barrier_word::k_arrival;
  std::uint64_t seen =
      word_.load(memory_order_acquire);  // acquire: what those did who have handed in; pairs with hand_in()
  if (barrier_word::pending(seen) != barrier_word::pending(sum)) {
    return false;
  }
  const std::uint64_t phase = phase_.load(memory_order_relaxed);  // relaxed: only who is last writes it
  phase_hook* const hook = this->hook();
  if (hook != nullptr && hook->is_clock) [[unlikely]] {
    // Results are made of what members have sent: nobody may take its arrival back meanwhile, and send again. So it is handed in, and
    // nobody is pending.
    do {
      if (barrier_word::pending(seen) != barrier_word::pending(sum)) {
        return false;
      }
      // acq_rel: as hand_in(). acquire on failure: as above
    } while (!word_.compare_exchange_weak(seen, seen - sum, memory_order_acq_rel, memory_order_acquire));
    k.list->end_at(k.wait_next);
    k.close();
    turn(w);  // the caller stays a member
    return true;
  }
  if (hook != nullptr) [[unlikely]] {
    if (hook->is_special()) {
      return false;
    }
    hook->complete(w, phase);
  }
  phase_.store(phase + 1, memory_order_relaxed);  // before the word, which says whether it holds (C3)
  do {
    if (barrier_word::pending(seen) != barrier_word::pending(sum) || (hook != nullptr && hook->is_special())) {
      phase_.store(phase, memory_order_relaxed);  // somebody has reopened the phase, or made it special (phaser P2)
      return false;
    }
    const std::uint64_t members = barrier_word::registered(seen) - barrier_word::registered(sum);
    // acq_rel: as hand_in() and turn() together (C3); seq_cst for phase_hook::has_off_list(). acquire on failure: as above
    if (word_.compare_exchange_weak(seen, barrier_word::make(static_cast<std::uint8_t>(phase + 1), members),
                                    memory_order_seq_cst, memory_order_acquire)) {
      break;
    }
  } while (true);
  k.list->end_at(k.wait_next);
  k.close();
  // Only now: between the look at the word and the exchange a member may have come onto a list, and left the word as it was. The
  // caller is pending in the next phase, which stays.
  release(w, collect(w, phase));
  if (hook != nullptr && hook->has_off_list()) [[unlikely]] {
    hook->free_off_list(w, phase);
  }
  return true;
}

std::uint64_t barrier::publish(std::uint64_t guard) noexcept {
  const std::uint64_t phase = phase_.load(memory_order_relaxed) + 1;  // relaxed: nobody else writes it now
  phase_.store(phase, memory_order_relaxed);                          // relaxed: published by the word
  std::uint64_t seen = word_.load(memory_order_acquire);              // acquire: who has left meanwhile
  std::uint64_t members = 0;
  do {
    members = barrier_word::registered(seen);
    // seq_cst: see phase_hook::has_off_list(); besides, as in turn()
  } while (!word_.compare_exchange_weak(seen, barrier_word::make(static_cast<std::uint8_t>(phase), members) + guard,
                                        memory_order_seq_cst, memory_order_acquire));
  return members;
}

bool barrier::remove_guard(std::uint64_t guard) noexcept {
  // acq_rel: as an arrival (C3)
  const std::uint64_t before = word_.fetch_sub(guard, memory_order_acq_rel);
  return barrier_word::pending(before) == guard;
}

std::uint64_t barrier::phase_by_anyone() const noexcept {
  for (;;) {
    // seq_cst: see phase_hook::has_off_list(); and acquire, what members did before (C3)
    const std::uint64_t word = word_.load(memory_order_seq_cst);
    const std::uint64_t p = phase_.load(memory_order_acquire);  // acquire: the word is not read before it
    const auto ahead = static_cast<std::uint8_t>(p - barrier_word::phase(word));
    // Who is about to turn it has written it already, perhaps in vain; more than that has been turned since.
    if (ahead <= 1 && barrier_word::phase(word_.load(memory_order_relaxed)) == barrier_word::phase(word)) {
      return p - ahead;
    }
    cpu_relax();
  }
}

// O(workers). Makes the lists of waiters of `phase` ranges, and leaves the lists empty.
barrier::waiting_ranges barrier::collect(worker* w, std::uint64_t phase) noexcept {
  if (w->timeline != nullptr) [[unlikely]] {
    trace_phase(w, !has_phaser_hook(), key_, phase);
  }
  waiting_ranges found;
  for (share& s : shares_) {
    waiter_list& list = s.lists[phase & 1];
    if (list.begin() == list.end()) {
      continue;
    }
    s.range.entries = list.begin();
    s.range.of = this;
    s.range.count = list.take_off();
    if (s.range.target == w) {
      found.mine = &s.range;
      found.mine->next = nullptr;
    } else {
      s.range.next = found.others;
      found.others = &s.range;
    }
  }
  report_gate::pass();  // a report that has seen a waiter on a list finds it there until it is through (H1)
  return found;
}

// As soon as the last waiters are free this barrier may be gone; if there were none, it may be already.
void barrier::release(worker* w, waiting_ranges waiting) noexcept {
  ++w->counters.phases;
  while (waiting.others != nullptr) {
    released_range* const range = std::exchange(waiting.others, waiting.others->next);
    worker* const target = range->target;
    seeded_point(w);
    target->released.more.send(range);
    target->idle->notify(target);
  }
  if (waiting.mine != nullptr) {
    w->adopt(waiting.mine);
  }
}

void barrier::describe(std::string& text, std::uint64_t phase) const {
  text += has_phaser_hook() ? "phaser " : "clock ";
  text += std::to_string(serial_of(key_)) + ", phase " + std::to_string(phase);
}

TACTUS_NO_SANITIZE std::uint32_t barrier::waiters_on(const share& s, std::uint64_t parity) noexcept {
  return s.lists[parity].count_seen(s.range.target->deferred);
}

void barrier::cancel(std::vector<continuation*>& all) {
  for (share& s : shares_) {
    waiter_list& list = s.lists[phase() & 1];
    for (continuation* const waiter : list) {
      waiter->in_vain_since = phase();
      all.push_back(waiter);
    }
    list.take_off();
  }
}

}  // namespace tactus::detail
