// SPDX-License-Identifier: Apache-2.0
#include "place/ledger.hpp"

#include "place/place_node.hpp"

#include <algorithm>
#include <utility>

namespace tactus::detail {

ledger::ledger(place_node& home, finish_scope& of, std::uint64_t named) : key(named), home_(home), scope_(of) {
  entries_.reserve(4);
}

std::int64_t& ledger::entry_for(int place) {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [place](const auto& e) { return e.place == place; });
  if (at != entries_.end()) {
    return at->tasks;
  }
  entries_.push_back({place, 0});
  return entries_.back().tasks;
}

void ledger::add(int place, std::int64_t tasks) {
  if (tasks == 0) {
    return;
  }
  std::int64_t& entry = entry_for(place);
  nonzero_ += entry == 0 ? 1U : 0U;
  entry += tasks;
  nonzero_ -= entry == 0 ? 1U : 0U;
}

// Takes the token of the finish, or gives it back: that may complete the finish, so the lock goes before.
void ledger::settle(worker* w, std::unique_lock<std::mutex> lock) {
  const bool wanted = nonzero_ != 0;
  if (wanted == std::exchange(token_, wanted)) {
    return;
  }
  if (wanted) {
    scope_.count_from_outside();
    return;
  }
  finish_scope& scope = scope_;
  lock.unlock();
  scope.uncount_from_outside(w);
}

void ledger::count_sent(int to, std::uint64_t tasks) {
  std::unique_lock lock(mutex_);
  add(to, static_cast<std::int64_t>(tasks));
  settle(nullptr, std::move(lock));
}

void ledger::uncount_sent(int to) noexcept {
  std::unique_lock lock(mutex_);
  add(to, -1);
  settle(nullptr, std::move(lock));
}

void ledger::count_arrived(worker* w, std::uint64_t tasks) {
  std::unique_lock lock(mutex_);
  add(home_.number(), -static_cast<std::int64_t>(tasks));
  settle(w, std::move(lock));
}

void ledger::apply(worker* w, int from, std::uint64_t arrived, const sent_counts& sent) {
  std::unique_lock lock(mutex_);
  add(from, -static_cast<std::int64_t>(arrived));
  for (const auto& [where, count] : sent) {
    add(where, static_cast<std::int64_t>(count));
  }
  settle(w, std::move(lock));
}

void ledger::finish_closed() noexcept { home_.close_ledger(this); }

std::string ledger::text() {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const entry_of_place& e : entries_) {
    if (e.tasks > 0) {  // less: they have come from a place that has not told yet that it has sent them
      text += (text.empty() ? "place " : ", place ") + std::to_string(e.place) + ": " + std::to_string(e.tasks) +
              (e.tasks == 1 ? " task" : " tasks");
    }
  }
  return text;
}

}  // namespace tactus::detail
