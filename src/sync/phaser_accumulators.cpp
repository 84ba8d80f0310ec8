// SPDX-License-Identifier: Apache-2.0
// What a phaser, or the accumulators of a clock, know of accumulators and of who sends to them.

#include <tactus/base/impl/assert.hpp>
#include <tactus/sync/impl/accumulator_base.hpp>
#include <tactus/sync/impl/phaser_core.hpp>
#include <tactus/task/task_local.hpp>

#include "scheduler/scheduler.hpp"
#include "sync/frame_of_turn.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::uint64_t k_phases_between_sweeps = 64;
constexpr std::uint64_t k_phases_between_looks = 8;  // at senders, as long as that pays
constexpr std::uint64_t k_phases_kept = 4;           // of what was sent

}  // namespace

sender::~sender() {
  const cell_node* p = newest_.load(memory_order_relaxed);  // relaxed: nobody else knows it any more
  while (p != nullptr) {
    const std::unique_ptr<const cell_node> gone(p);
    p = gone->next;
  }
}

void sender::set_cell(std::uint64_t of, void* c) {
  const cell_node* const next = newest_.load(memory_order_relaxed);  // relaxed: its own
  newest_.store(std::make_unique<cell_node>(cell_node{of, c, next}).release(),
                memory_order_release);  // release: see cell()
}

accumulator_base::accumulator_base() noexcept : key_(next_handle_key(any_worker()->owner->place())) {}

// Whoever turns the phase has `active_` and `order_` to itself, so that no user's code runs with the lock held.
void phaser_core::complete(worker* w, std::uint64_t phase) noexcept {
  if (news_.load(memory_order_acquire)) {  // acquire: pairs with add() and make_sender()
    take_news();
  }
  if (active_.empty()) {
    return;
  }
  const frame_of_turn frame(w);
  // relaxed, both: by one who has all arrivals, and from whom the phase goes on; see was_in_vain()
  if (completed_in_vain_.load(memory_order_relaxed)) [[unlikely]] {
    completed_in_vain_.store(false, memory_order_relaxed);
    for (const auto& a : active_) {
      a->complete_again(phase);
    }
  }
  const own_floats_aside floats(w->floats);  // the results depend on no environment of whoever comes last
  const std::uint64_t oldest = oldest_needed();
  for (const auto& a : active_) {
    a->complete(w, phase, oldest);
  }
  if (phase % k_phases_between_sweeps == 0) {
    std::erase_if(active_, [](const auto& a) { return a.use_count() == 1; });  // ends values of a user's type: no lock
  }
  if (phase >= next_look_) {
    forget_senders(phase);
  }
}

// Nobody can be told of a phase that would leave senders out.
void phaser_core::take_news() noexcept {
  try {
    try_take_news();
  } catch (const std::bad_alloc& why) {
    end_without_memory("a phase needs memory for those who have sent to an accumulator for the first time", why.what());
  }
}

void phaser_core::try_take_news() {
  const std::lock_guard hold(lock_);
  news_.store(false, memory_order_relaxed);  // relaxed: under the lock
  for (auto& a : new_accumulators_) {
    active_.push_back(std::move(a));
  }
  new_accumulators_.clear();
  if (!new_senders_.empty()) {
    ++order_version_;
    for (auto& s : new_senders_) {
      order_.push_back(std::move(s));
    }
    new_senders_.clear();
    gone_.reserve(order_.capacity());  // so that forgetting cannot fail
    const auto by_ordinal = [](const auto& x, const auto& y) { return x->ordinal < y->ordinal; };
    if (!std::is_sorted(order_.begin(), order_.end(), by_ordinal)) {
      std::sort(order_.begin(), order_.end(), by_ordinal);
    }
  }
}

// Those that have ended, and whose last values nobody can ask for: their cells are others' from here on (phaser P10). They are given back
// without the lock: a store's own is held while values are copied.
void phaser_core::forget_senders(std::uint64_t phase) noexcept {
  take_out_senders(phase);
  if (gone_.empty()) {
    return;
  }
  for (const auto& a : active_) {
    a->forget(gone_);
  }
  gone_.clear();
}

void phaser_core::take_out_senders(std::uint64_t phase) noexcept {
  const std::lock_guard hold(lock_);
  next_look_ = phase + k_phases_between_looks;
  if (senders_ended_ <= order_.size() / 4) {
    return;
  }
  auto first = order_.begin();  // of those to forget; the others keep their order
  for (auto& s : order_) {
    if (!s->ended || s->ended_in + k_phases_kept >= phase) {
      std::swap(*first, s);
      ++first;
    }
  }
  const auto gone = static_cast<std::size_t>(order_.end() - first);
  if (gone <= order_.size() / 8) {
    next_look_ = phase + k_phases_between_sweeps;  // they have run far ahead, perhaps
  }
  if (gone == 0) {
    return;
  }
  gone_.insert(gone_.end(), std::make_move_iterator(first), std::make_move_iterator(order_.end()));
  ++order_version_;
  senders_ended_ -= gone;
  order_.erase(first, order_.end());
}

std::uint64_t phaser_core::oldest_needed() const noexcept {
  // relaxed: who brings in the first of them is a member that has not arrived, or was brought in by one
  if (slow_readers_.load(memory_order_relaxed) == 0) {
    return k_nobody;
  }
  const std::uint64_t oldest = room_.fewest_waits();
  return oldest == 0 || oldest == k_nobody ? oldest : oldest - 1;
}

void phaser_core::add(std::shared_ptr<accumulator_base> a) {
  const std::lock_guard hold(lock_);
  new_accumulators_.push_back(std::move(a));
  news_.store(true, memory_order_release);  // release: pairs with complete()
}

sender& phaser_core::make_sender(membership& m) {
  auto s = std::make_unique<sender>(*this, m.ordinal);
  const std::lock_guard hold(lock_);
  sender& made = *s;
  new_senders_.push_back(std::move(s));
  news_.store(true, memory_order_release);  // release: pairs with complete()
  m.sends_as = &made;
  return made;
}

void end_sender(const membership& m) noexcept { m.sends_as->core.sender_ended(m); }

void phaser_core::sender_ended(const membership& m) noexcept {
  const bool runs_ahead = !is_clock && static_cast<const phaser_member&>(m).mode == phaser_mode::signal_only;
  const std::uint64_t phase = runs_ahead  ? phase_of(static_cast<const phaser_member&>(m))
                              : m.arrived ? m.arrived_in + 1
                                          : barrier_->phase();
  const std::lock_guard hold(lock_);
  m.sends_as->ended_in = phase;
  m.sends_as->ended = true;
  ++senders_ended_;
}

}  // namespace tactus::detail
