// SPDX-License-Identifier: Apache-2.0
// The lifelines of one place: whom it has asked, who waits here, and who gets what. docs/protocols/placement.md, rules a to h.
#pragma once

#include "placement/placement.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus::detail {

class lifelines {
public:
  lifelines(const placement_settings& settings, placement_action::order pick, bool guard);

  /// Rule a: `from` is remembered until it is served.
  void remember(int from);

  /// Rule h: `from` was to be served and got nothing; may_not_go: since what waits here may not go there.
  void put_back(int from, bool may_not_go);

  /// A task has come, begun or ended: what could not be served may be now.
  void look_again() { in_vain_ = 0; }

  /// Rule b: serves who waits, as far as there is something to spare; `view.flexible` becomes what is left.
  void serve(place_view& view, std::vector<placement_action>& actions);

  /// Whether place `to` gets something for its question; `view.flexible` becomes what is left.
  bool give_to(int to, std::uint32_t nonce, place_view& view, std::vector<placement_action>& actions);

  /// Asks by the next lifeline that has not been used yet; false if there is none.
  bool ask_next(std::vector<placement_action>& actions);

  void ask_all(std::vector<placement_action>& actions) {
    while (ask_next(actions)) {
    }
  }

  /// Rule e: asks also on behalf of those that wait here, if all that runs here is old.
  void relay(const place_view& view, std::vector<placement_action>& actions);

  /// n tasks have come. Before serve().
  void came(std::size_t n, const place_view& view);

  /// Rule d: loot of place `from` clears its lifeline.
  void loot_of(int from);

  /// All whom it could ask remember it.
  [[nodiscard]] bool all_asked() const { return asked_ + 1 == std::uint64_t{1} << edges_.size(); }

  [[nodiscard]] bool somebody_waits() const { return !waiters_.empty(); }

  /// When serve() or relay() may do what they did not do now, though nothing happens but time.
  [[nodiscard]] std::int64_t poll_at(const place_view& view) const;

  void reset();
  [[nodiscard]] std::string text() const;

private:
  [[nodiscard]] std::size_t spare(const place_view& view) const;
  [[nodiscard]] std::size_t spare_for_waiters(const place_view& view) const;
  [[nodiscard]] std::size_t reserve(const place_view& view) const;
  [[nodiscard]] std::size_t passing_through(const place_view& view) const;
  void passed(const place_view& view);
  placement_action half_of(std::size_t spare, place_view& view) const;

  std::vector<int> edges_;
  std::vector<int> waiters_;  // in the order of their requests, each place once
  std::size_t in_vain_ = 0;   // gives to these one after the other, of tasks that may not go there
  std::uint64_t asked_ = 0;   // a bit for each edge, from the request to loot by it
  // Of tasks that came while nobody was idle, since a worker of this place took one: they pass through.
  std::int64_t since_ = -1;     // view.last_taken then
  std::size_t through_ = 0;     // that are here
  std::int64_t rest_ = 0;       // between the last times that some went on
  std::int64_t next_pass_ = 0;  // not before
  int workers_;
  placement_action::order pick_;
  bool guard_;
};

/// How long after its last worker has taken a task a place counts as one that does its own work (rule c).
std::int64_t fresh_until(const place_view& view);

/// How old a task is that may take long (rule e).
std::int64_t old_at(const place_view& view);

}  // namespace tactus::detail
