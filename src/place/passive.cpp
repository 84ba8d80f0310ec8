// SPDX-License-Identifier: Apache-2.0
// A place that falls asleep tells so; when all have, and nothing is under way, the program is stuck. docs/protocols/quiescence.md.

#include "place/place_node.hpp"

#include "scheduler/run_control.hpp"

#include <algorithm>

namespace tactus::detail {

void place_node::run_begins() noexcept {
  net_->quiet.sent_from_outside(number());
  begun_.fetch_add(1, memory_order_relaxed);  // relaxed: told by who sees this place asleep
}

void place_node::falls_asleep(worker* w) noexcept {
  bool stuck = false;
  here_.idle().if_all_asleep([&] { stuck = tell(); });
  wake_withheld();
  if (stuck) {
    resolve(w);
  }
}

// With the lock of the idle set held and all workers in it: none of them leaves, and what makes work visible wakes one later. But
// strangers take messages, and foreign threads send, meanwhile: what is told as taken is read before the look, what was sent after it
// (quiescence, "Two looks").
bool place_node::tell() noexcept {
  const std::uint64_t taken_by_now = taken();
  const std::uint64_t reached = here_.sent_by_strangers();
  const run_control& run = here_.run();
  if (run.has_unset_externals()) {
    if (!withholds_.exchange(true, memory_order_seq_cst)) {  // before the next look; pairs with wake_withheld()
      net_->withheld.fetch_add(1, memory_order_seq_cst);
    }
    if (run.has_unset_externals()) {
      return false;
    }
  }
  if (withholds_.exchange(false, memory_order_seq_cst)) {
    net_->withheld.fetch_sub(1, memory_order_seq_cst);
  }
  return !here_.work_in_sight() && tell_changes(taken_by_now, reached);
}

bool place_node::tell_changes(std::uint64_t taken_by_now, std::uint64_t reached) noexcept {
  const std::int64_t first = std::exchange(told_first_, true) ? 0 : 1;  // which the ledger has waited for
  bool changed = std::exchange(told_reached_, reached) != reached || first != 0;
  for (std::size_t to = 0; to < places_; ++to) {
    const std::uint64_t sent = sent_to(static_cast<int>(to));
    sent_since_[to] = static_cast<std::int64_t>(sent - std::exchange(told_sent_[to], sent));
    changed = changed || sent_since_[to] != 0;
  }
  const auto taken_since = static_cast<std::int64_t>(taken_by_now - std::exchange(told_taken_, taken_by_now)) + first;
  return (changed || taken_since != 0) && net_->quiet.apply(number(), sent_since_, taken_since, reached);
}

// The promise is gone: who was passive all the time tells it now.
void place_node::wake_withheld() noexcept {
  if (net_->withheld.load(memory_order_seq_cst) == 0 || here_.run().has_unset_externals()) {  // pairs with tell()
    return;
  }
  for (const auto& place : here_.run().places()) {
    place_node& other = of(*place);
    if (other.withholds_.exchange(false, memory_order_seq_cst)) {  // as above
      net_->withheld.fetch_sub(1, memory_order_seq_cst);
      other.here_.idle().wake_one_for_sure();
    }
  }
}

void place_node::resolve(worker* w) noexcept {
  run_control& run = here_.run();
  // From here on only a foreign thread can change anything, by a promise of its own or by letting the last handle of something go.
  const foreign_visit nobody_reaches_in;
  const bool untold = std::any_of(run.places().begin(), run.places().end(), [this](const auto& p) {
    return !net_->quiet.has_told(p->place(), p->sent_by_strangers());
  });
  // Who was reached first, zero last (Q6).
  if (!untold && run.is_active() && !here_.deadlocked() && !run.has_unset_externals() && net_->quiet.all_zero()) {
    run.resolve_deadlock(w);
  }
}

}  // namespace tactus::detail
