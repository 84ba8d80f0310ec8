// SPDX-License-Identifier: Apache-2.0

#include <tactus/base/probe.hpp>
#include <tactus/scheduler/barrier.hpp>

#include <tactus/base/assert.hpp>
#include <tactus/scheduler/exceptions_aside.hpp>
#include <tactus/scheduler/report_gate.hpp>
#include <tactus/scheduler/scheduler.hpp>

#include "base/poll.hpp"
#include "scheduler/barrier_wait.hpp"
#include "scheduler/seeded.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::size_t k_longest_block = 64;   // continuations that a worker takes for itself at once
constexpr std::uint64_t k_soon = 5'000;       // ticks: about 2 us
constexpr std::uint32_t k_first_list = 16;    // waiters
constexpr std::uint32_t k_most_kept = 4'096;  // waiters that a list has room for when its barrier is used again
constexpr std::uint32_t k_rounds_between_looks = 32;

// Of few continuations the stacks lie in a cache not far away. Of many each costs walks through page tables, too.
constexpr std::size_t k_many_strands = 16'000;
constexpr std::uint32_t k_ahead_of_few = 4;
constexpr std::uint32_t k_ahead_of_many = 8;
static_assert(k_ahead_of_many <
              barrier::k_spare_entries);  // behind the last of a block, which may be the last of the list

constexpr std::uint32_t look_ahead_in(std::size_t continuations) noexcept {
  return continuations < k_many_strands ? k_ahead_of_few : k_ahead_of_many;
}

constexpr std::chrono::nanoseconds k_longest_poll{2'000};
constexpr std::uint32_t k_most_polls_lost = 6;  // each doubles how many are skipped

// Something like a clock, for what need not be exact.
std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) * 2;
#endif
}

}  // namespace

barrier::barrier(scheduler* home) : home_(home), shares_(static_cast<std::size_t>(home->size())) {
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    shares_[i].range.target = &home->at(static_cast<int>(i));
  }
}

barrier::~barrier() {
  for (share& s : shares_) {
    std::free(s.lists[0].entries);
    std::free(s.lists[1].entries);
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
    for (barrier_waiters& list : s.lists) {
      if (list.capacity > k_most_kept) {
        std::free(std::exchange(list.entries, nullptr));
        list.capacity = 0;
      }
    }
    s.polls_lost = 0;
    s.polls_skipped = 0;
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
    k.list->count = static_cast<std::uint32_t>(k.wait_next - k.list->entries);
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
  k.list->count = static_cast<std::uint32_t>(k.wait_next - k.list->entries);
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
    barrier_waiters& list = s.lists[phase & 1];
    if (list.count == 0) {
      continue;
    }
    s.range.entries = list.entries;
    s.range.of = this;
    s.range.count = std::exchange(list.count, 0);
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

// ---- waiting ----

// Makes `w` keep arrivals for this barrier, with room for one more waiter of `phase`.
void barrier::open(worker* w, std::uint64_t phase) {
  deferred_arrivals& k = w->deferred;
  if (k.of != this) {
    w->hand_in_arrivals();
  }
  barrier_waiters& list = shares_[static_cast<std::size_t>(w->id)].lists[phase & 1];
  if (k.list == nullptr) {
    k.list = &list;
    k.wait_next = list.entries + list.count;
    k.wait_end = list.entries + list.capacity;
    k.of = this;
  }
  if (k.wait_next == k.wait_end) {
    const std::uint32_t capacity = std::max(k_first_list, 2 * list.capacity);
    auto* const entries =
        static_cast<continuation**>(std::malloc((capacity + k_spare_entries) * sizeof(continuation*)));
    if (entries == nullptr) {
      if (k.sum == 0) {
        k.close();
      }
      throw std::bad_alloc();
    }
    std::copy_n(list.entries, list.capacity, entries);
    std::fill(entries + list.capacity, entries + capacity + k_spare_entries, nullptr);
    k.wait_next = entries + list.capacity;
    k.wait_end = entries + capacity;
    continuation** const before = std::exchange(list.entries, entries);
    list.capacity = capacity;
    report_gate::pass();  // a report may read the old ones (H1)
    std::free(before);
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
    if (++w->loop_rounds % k_rounds_between_looks == 0) {
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

bool barrier::park(worker* w) {
  wait_point here;
  here.object = this;
  here.commit = enlist;
  here.describe = [](const wait_point& p, std::string& text) {
    text += static_cast<const barrier*>(p.object)->has_phaser_hook() ? "a phaser" : "a clock";
  };
  here.finish = w->held;
  here.task = w->task;
  try {
    park_here(w, here, stack_pool::at_limit::refuse);
  } catch (...) {
    if (w->deferred.sum == 0) {
      w->deferred.close();
    }
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
  if (mine.polls_skipped != 0) {
    --mine.polls_skipped;
    return false;
  }
  return true;
}

bool barrier::poll(worker* w, std::uint64_t phase) noexcept {
  share& mine = shares_[static_cast<std::size_t>(w->id)];  // of this worker, and the caller is a member: it stays
  if (poll_for(
          k_longest_poll, 16, [&] { return has_turned(phase); },
          [&] { return home_->has_work<source::before_polling>(w); })) {
    mine.polls_lost = 0;
    return true;
  }
  mine.polls_lost = std::min(mine.polls_lost + 1, k_most_polls_lost);
  mine.polls_skipped = (1U << mine.polls_lost) - 1;
  return false;
}

void barrier::describe(std::string& text, std::uint64_t phase) const {
  text += has_phaser_hook() ? "phaser " : "clock ";
  text += std::to_string(serial_of(key_)) + ", phase " + std::to_string(phase);
}

// Those that the worker has not handed in yet are on the list, too.
TACTUS_NO_SANITIZE std::uint32_t barrier::waiters_on(const share& s, std::uint64_t parity) noexcept {
  const barrier_waiters& list = s.lists[parity];
  const deferred_arrivals& k = s.range.target->deferred;
  const std::uint32_t capacity = list.capacity;
  if (k.list == &list) {
    const auto begin = reinterpret_cast<std::uintptr_t>(list.entries);
    const auto end = reinterpret_cast<std::uintptr_t>(k.wait_next);
    // While the list grows, its end may be in another array than its begin.
    if (end >= begin && end - begin <= capacity * sizeof(continuation*) && fence_all_processors()) {
      return static_cast<std::uint32_t>((end - begin) / sizeof(continuation*));
    }
  }
  return list.count;
}

void barrier::cancel(std::vector<continuation*>& all) {
  for (share& s : shares_) {
    barrier_waiters& list = s.lists[phase() & 1];
    for (std::size_t i = 0; i < list.count; ++i) {
      continuation* const waiter = list.entries[i];
      waiter->in_vain_since = phase();
      all.push_back(waiter);
    }
    list.count = 0;
  }
}

// ---- the worker's side ----

continuation* worker::adopt(released_work::block stolen) noexcept {
  released_range range{stolen.first, static_cast<std::size_t>(stolen.last - stolen.first), stolen.of, nullptr, nullptr};
  deferred.run_ahead = look_ahead_in(range.count);
  static_cast<void>(released.put(range));  // half of what another had: it fits
  return next_released();
}

void worker::adopt(released_range* ranges) noexcept {
  while (ranges != nullptr) {
    released_range* const range = std::exchange(ranges, ranges->next);
    deferred.run_ahead = look_ahead_in(range->count);
    if (released.left() != 0 || released.put(*range)) {
      released.more.send(range);
    }
  }
  idle->notify();
}

// What lies in a block is this worker's alone, so blocks grow only while it is through with them soon.
bool worker::claim_released() noexcept {
  const bool alone = owner->size() == 1;
  if (!alone && !seeded) {
    const std::uint64_t now = ticks();
    block_ = now - block_since_ < k_soon ? std::min(2 * block_, k_longest_block) : 1;
    block_since_ = now;
  }
  for (;;) {
    const released_work::block b = released.take(block_, alone);
    if (b.first != b.last) {
      deferred.run_next = b.first;
      deferred.run_end = b.last;
      deferred.run_of = timeline == nullptr ? b.of : nullptr;  // null: each goes on by the loop
      return true;
    }
    released_range* const ranges = released.more.take_all();
    if (ranges == nullptr) {
      return false;
    }
    adopt(ranges);
  }
}

}  // namespace tactus::detail
