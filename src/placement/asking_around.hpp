// SPDX-License-Identifier: Apache-2.0
// A place that starves asks one place after the other, at random, until one gives something. After as many refusals as there are others it
// rests: until a worker starves anew, or for a millisecond.
#pragma once

#include "placement/place_load.hpp"
#include "placement/random_places.hpp"

#include <cstdint>
#include <vector>

namespace tactus::detail {

class asking_around {
public:
  explicit asking_around(const placement_settings& s) : others_(s), places_(s.places), workers_(s.workers) {}

  void starved(const place_view& view, std::vector<placement_action>& actions) {
    if (places_ > 1 && asking_ == 0 && rests_until_ == k_never) ask(view, actions);
  }

  void polled(const place_view& view, std::vector<placement_action>& actions) {
    if (asking_ != 0 || view.now < rests_until_) return;
    rests_until_ = k_never;
    if (view.idle > 0) ask(view, actions);
  }

  void refused(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    if (asking_ == 0 || event.nonce != asking_) return;
    asking_ = 0;
    if (view.idle == 0) {
      refusals_ = 0;
    } else if (++refusals_ < places_ - 1) {
      ask(view, actions);
    } else {
      refusals_ = 0;
      rests_until_ = view.now + k_rest;
    }
  }

  void arrived(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    if (event.nonce == asking_) asking_ = 0;
    refusals_ = 0;
    rests_until_ = k_never;
    // As many are woken as tasks have come; the others have said before that they starve.
    if (static_cast<std::size_t>(view.idle) > view.flexible) starved(view, actions);
  }

  /// What cannot be had of an action give.
  static void refuse(int to, std::uint32_t nonce, std::vector<placement_action>& actions) {
    actions.push_back({.what = placement_action::refuse, .why = move_cause::asked, .to = to, .nonce = nonce});
  }

  [[nodiscard]] placement_interest interest() const { return {.poll_at = rests_until_}; }

  void reset() {
    asking_ = 0;
    refusals_ = 0;
    rests_until_ = k_never;
  }

  [[nodiscard]] std::string text() const {
    return (asking_ != 0              ? "a question is under way"
            : rests_until_ != k_never ? "rests"
                                      : "") +
           (refusals_ == 0 ? std::string() : ", refusals: " + std::to_string(refusals_));
  }

private:
  static constexpr std::int64_t k_rest = 1'000'000;

  void ask(const place_view& view, std::vector<placement_action>& actions) {
    asking_ = ++last_nonce_ == 0 ? ++last_nonce_ : last_nonce_;
    actions.push_back({.what = placement_action::ask,
                       .why = move_cause::asked,
                       .to = others_.any(),
                       .nonce = asking_,
                       .load = load_of(view, workers_)});
  }

  random_places others_;
  int places_;
  int workers_;
  std::uint32_t asking_ = 0;  // the nonce of the question that is under way, or 0
  std::uint32_t last_nonce_ = 0;
  int refusals_ = 0;  // one after the other
  std::int64_t rests_until_ = k_never;
};

}  // namespace tactus::detail
