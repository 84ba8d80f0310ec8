// SPDX-License-Identifier: Apache-2.0
// A place that starves asks some others at random, then its lifelines, one after the other; they remember it (Saraswat et al. 2011). Who is asked
// gives the older half of what it can spare. docs/protocols/placement.md.
#include "placement/lifelines.hpp"
#include "placement/policies.hpp"
#include "placement/random_places.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace tactus::detail {
namespace {

class lifeline final : public placement {
public:
  explicit lifeline(const placement_settings& s)
      : lifelines_(s, placement_action::oldest, false),
        victims_(s),
        alone_(s.places == 1),
        most_tries_(std::max(s.tuning.random_steals, 0)) {}

  void decide(const placement_event& event, const place_view& seen, std::vector<placement_action>& actions) override {
    place_view view = seen;
    switch (event.what) {
      case placement_event::starved:
        lifelines_.serve(view, actions);
        search(actions);
        break;
      case placement_event::began:
        lifelines_.look_again();
        lifelines_.serve(view, actions);
        lifelines_.relay(view, actions);
        if (more_idle_than_tasks(view)) search(actions);
        break;
      case placement_event::spawned:
      case placement_event::ended:
      case placement_event::polled:
        if (event.what != placement_event::polled) lifelines_.look_again();
        lifelines_.serve(view, actions);
        lifelines_.relay(view, actions);
        break;
      case placement_event::arrived:
        if (event.why == move_cause::lifeline) lifelines_.loot_of(event.from);
        lifelines_.look_again();
        lifelines_.came(event.n, view);
        if (answers_mine(event)) asking_ = false;
        lifelines_.serve(view, actions);
        if (more_idle_than_tasks(view)) search(actions);
        break;
      case placement_event::asked:
        lifelines_.serve(view, actions);
        if (!lifelines_.give_to(event.from, event.nonce, view, actions))
          refuse(event.from, move_cause::asked, event.nonce, actions);
        break;
      case placement_event::wanted: wanted(event.from, view, actions); break;
      case placement_event::refused:
        if (answers_mine(event)) {
          asking_ = false;
          if (view.idle > 0) ask(actions);
        }
        break;
      case placement_event::gave_nothing:
        if (event.why == move_cause::lifeline) lifelines_.put_back(event.from, event.n > 0);
        refuse(event.from, event.why, event.nonce, actions);  // by a lifeline: not yet
        break;
      default: break;
    }
  }

  [[nodiscard]] placement_interest interest(const place_view& view) const override {
    return {.everything = lifelines_.somebody_waits(),
            .low = view.idle > 0 && !lifelines_.all_asked() ? std::size_t{1} : 0,
            .poll_at = lifelines_.poll_at(view)};
  }

  void reset() override {
    lifelines_.reset();
    asking_ = false;
  }

  [[nodiscard]] std::string text() const override {
    return lifelines_.text() + (asking_ ? "; a question is under way, number " + std::to_string(tries_) : "");
  }

  [[nodiscard]] std::unique_ptr<placement> clone() const override {
    return std::unique_ptr<placement>(new lifeline(*this));
  }

private:
  lifeline(const lifeline&) = default;

  // Rule h: what came has cleared the request that stood for all, and wakes no more workers than there are tasks.
  static bool more_idle_than_tasks(const place_view& view) {
    return static_cast<std::size_t>(view.idle) > view.flexible;
  }

  // Rule g: an answer may have woken a worker that says that it starves; then whom all lifelines remember asks no more.
  void search(std::vector<placement_action>& actions) {
    if (asking_ || alone_ || lifelines_.all_asked()) return;
    tries_ = 0;
    ask(actions);
  }

  // One question at a time: what answers it are tasks or a refusal, for a lifeline one of those that say "not yet".
  void ask(std::vector<placement_action>& actions) {
    if (tries_ < most_tries_) {
      ++tries_;
      asked_ = victims_.any();
      cause_ = move_cause::asked;
      nonce_ = ++last_nonce_ == 0 ? ++last_nonce_ : last_nonce_;
      actions.push_back({.what = placement_action::ask, .why = cause_, .to = asked_, .nonce = nonce_});
      asking_ = true;
    } else if (lifelines_.ask_next(actions)) {
      asked_ = actions.back().to;
      cause_ = move_cause::lifeline;
      nonce_ = 0;
      asking_ = true;
    }
  }

  [[nodiscard]] bool answers_mine(const placement_event& event) const {
    return asking_ && event.why == cause_ && event.from == asked_ && event.nonce == nonce_;
  }

  void wanted(int from, place_view& view, std::vector<placement_action>& actions) {
    lifelines_.remember(from);
    const std::size_t before = actions.size();
    lifelines_.serve(view, actions);
    const bool served = std::any_of(actions.begin() + static_cast<std::ptrdiff_t>(before), actions.end(),
                                    [from](const placement_action& a) { return a.to == from; });
    if (!served) refuse(from, move_cause::lifeline, 0, actions);
    lifelines_.relay(view, actions);
  }

  static void refuse(int to, move_cause why, std::uint32_t nonce, std::vector<placement_action>& actions) {
    actions.push_back({.what = placement_action::refuse, .why = why, .to = to, .nonce = nonce});
  }

  lifelines lifelines_;
  random_places victims_;
  bool alone_;
  int most_tries_;
  int tries_ = 0;
  bool asking_ = false;  // asked_ has not answered
  int asked_ = -1;
  move_cause cause_ = move_cause::asked;
  std::uint32_t nonce_ = 0;
  std::uint32_t last_nonce_ = 0;
};

}  // namespace

std::unique_ptr<placement> make_lifeline(const placement_settings& settings) {
  return std::make_unique<lifeline>(settings);
}

}  // namespace tactus::detail
