// SPDX-License-Identifier: Apache-2.0
// Mistakes to be found: each changes what a policy hears or says, so that a rule of docs/protocols/placement.md does not hold. They have the
// names of the variants of models/placement.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "placement/world.hpp"

namespace worlds {

/// A policy with somebody between it and its host. Before an event `hears` may change it and the view, or say that it is not to be
/// heard of; afterwards `says` may strike out actions.
class misheard : public placement {
public:
  using hearing = bool (*)(placement_event&, place_view&, const placement& policy);
  using saying = bool (*)(const placement_action&, const place_view&, int here);

  misheard(std::unique_ptr<placement> policy, int here, hearing hears, saying says)
      : policy_(std::move(policy)), here_(here), hears_(hears), says_(says) {}

  void decide(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) override {
    placement_event heard = event;
    place_view seen = view;
    if (hears_ != nullptr && !hears_(heard, seen, *policy_)) return;
    policy_->decide(heard, seen, actions);
    if (says_ != nullptr) std::erase_if(actions, [&](const placement_action& a) { return !says_(a, view, here_); });
  }

  [[nodiscard]] tactus::detail::placement_interest interest(const place_view& view) const override {
    place_view seen = view;
    placement_event polled;
    if (hears_ != nullptr) hears_(polled, seen, *policy_);
    return policy_->interest(seen);
  }
  void reset() override { policy_->reset(); }
  [[nodiscard]] std::string text() const override { return policy_->text(); }
  [[nodiscard]] std::unique_ptr<placement> clone() const override {
    return std::make_unique<misheard>(policy_->clone(), here_, hears_, says_);
  }

private:
  std::unique_ptr<placement> policy_;
  int here_;
  hearing hears_;
  saying says_;
};

template <misheard::hearing Hears, misheard::saying Says>
std::unique_ptr<placement> with(std::unique_ptr<placement> policy, int here) {
  return std::make_unique<misheard>(std::move(policy), here, Hears, Says);
}

inline void pretend_empty(place_view& view) { view.flexible = 0; }

inline bool no_relay(const placement_action& a, const place_view& view, int /*here*/) {
  return a.what != placement_action::lifeline || view.idle > 0;
}
inline bool push_at_spawn_only(placement_event& e, place_view& view, const placement& /*policy*/) {
  if (e.what != placement_event::spawned && e.what != placement_event::asked) pretend_empty(view);
  return true;
}
inline bool no_serve_after_loot(placement_event& e, place_view& view, const placement& /*policy*/) {
  if (e.what == placement_event::arrived || e.what == placement_event::polled) pretend_empty(view);
  return true;
}
inline bool reserve_one(placement_event& /*e*/, place_view& view, const placement& /*policy*/) {
  view.last_taken = view.now;
  return true;
}
// Tasks that come while all workers run are as if they had been there.
inline bool pass_at_once(placement_event& e, place_view& view, const placement& /*policy*/) {
  if (e.what == placement_event::arrived && view.idle == 0) e.n = 0;
  return true;
}
inline bool give_last(placement_event& e, place_view& view, const placement& /*policy*/) {
  if (e.what == placement_event::refused) return true;
  view.idle = 0;
  view.last_taken = view.now - 1'000'000'000;
  return true;
}
inline bool edge_kept(placement_event& e, place_view& /*view*/, const placement& /*policy*/) {
  if (e.what == placement_event::arrived && e.why == tactus::detail::move_cause::lifeline)
    e.why = tactus::detail::move_cause::dealt;
  return true;
}
// A request that cannot be served at once is as if it had not come.
inline bool refused(placement_event& e, place_view& view, const placement& policy) {
  if (e.what != placement_event::wanted) return true;
  std::vector<placement_action> answer;
  policy.clone()->decide({.what = placement_event::asked, .from = e.from, .nonce = 1}, view, answer);
  return std::ranges::any_of(
      answer, [&](const placement_action& a) { return a.what == placement_action::give && a.to == e.from; });
}
inline bool one_edge(const placement_action& a, const place_view& /*view*/, int here) {
  return a.what != placement_action::lifeline || (a.to == 0 && here == 1);
}
inline bool empty_give_lost(placement_event& e, place_view& /*view*/, const placement& /*policy*/) {
  return e.what != placement_event::gave_nothing;
}

}  // namespace worlds
