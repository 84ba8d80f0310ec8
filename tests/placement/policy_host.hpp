// SPDX-License-Identifier: Apache-2.0
// Policies without a host: a test says what happens and looks at what is decided.
#pragma once

#include "placement/placement.hpp"

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

/// As a word or two: "ask 3 #1", "give 2 x4 interleaved lifeline".
inline std::string text_of(const placement_action& a) {
  constexpr const char* words[] = {"hold",   "keep",     "deal",      "give", "ask",   "lifeline",
                                   "refuse", "ask_load", "tell_load", "flag", "unflag"};
  std::string text = words[a.what];
  if (a.to >= 0) text += ' ' + std::to_string(a.to);
  if (a.n > 0) text += " x" + std::to_string(a.n);
  if (a.nonce > 0) text += " #" + std::to_string(a.nonce);
  if (a.what == placement_action::give && a.pick == placement_action::interleaved) text += " interleaved";
  if (a.what == placement_action::give || a.what == placement_action::refuse) {
    text += a.why == move_cause::lifeline ? " lifeline" : a.why == move_cause::asked ? " asked" : " dealt";
  }
  return text;
}

}  // namespace tactus::detail

namespace support {

using tactus::placement_policy;
using tactus::detail::move_cause;
using tactus::detail::place_view;
using tactus::detail::placement;
using tactus::detail::placement_action;
using tactus::detail::placement_event;
using tactus::detail::placement_settings;

/// One policy and the view that it gets, which the test changes.
class policy_host {
public:
  policy_host(placement_policy which, const placement_settings& settings) : policy_(make_placement(which, settings)) {
    view.now = 1'000'000;
    view.last_taken = view.now;
    view.youngest_began = view.now;
    view.mean_task = 1'000'000;
    view.mean_move = 1'000;
    view.rtt = 4'000;
  }

  place_view view;

  std::vector<placement_action> actions_of(const placement_event& e) {
    std::vector<placement_action> actions;
    policy_->decide(e, view, actions);
    return actions;
  }

  /// What is decided, as text; "" for nothing.
  std::string on(const placement_event& e) {
    std::string all;
    for (const placement_action& a : actions_of(e)) all += (all.empty() ? "" : ", ") + text_of(a);
    return all;
  }

  std::string on(placement_event::kind what) { return on(placement_event{.what = what}); }
  std::string on(placement_event::kind what, int from) { return on(placement_event{.what = what, .from = from}); }
  std::string spawned(int designated) {
    return on(placement_event{.what = placement_event::spawned, .designated = designated});
  }
  std::string asked(int from, std::uint32_t nonce) {
    return on(placement_event{.what = placement_event::asked, .why = move_cause::asked, .from = from, .nonce = nonce});
  }
  std::string refused(int from, std::uint32_t nonce) {
    return on(
        placement_event{.what = placement_event::refused, .why = move_cause::asked, .from = from, .nonce = nonce});
  }
  std::string not_yet(int from) {
    return on(placement_event{.what = placement_event::refused, .why = move_cause::lifeline, .from = from});
  }
  std::string arrived(int from, move_cause why, std::uint32_t nonce = 0) {
    return on(placement_event{.what = placement_event::arrived, .why = why, .from = from, .nonce = nonce, .n = 1});
  }

  placement& policy() { return *policy_; }
  tactus::detail::placement_interest interest() { return policy_->interest(view); }

  /// Later than anything that is fresh or young now.
  void let_time_pass() { view.now += 1'000'000'000; }

private:
  std::unique_ptr<placement> policy_;
};

}  // namespace support
