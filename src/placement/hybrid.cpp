// SPDX-License-Identifier: Apache-2.0
// A place that starves, or is about to, asks one other at random, and if that has nothing, all its lifelines, which remember it. Who is asked
// gives half of what it can spare, every second task: so both keep large and small subtrees. What is spawned where somebody waits goes there at
// once. docs/protocols/placement.md.
#include "placement/lifelines.hpp"
#include "placement/policies.hpp"
#include "placement/random_places.hpp"

#include <algorithm>

namespace tactus::detail {
namespace {

constexpr std::int64_t k_most_ahead = 64;  // for each worker

class hybrid final : public placement {
public:
  explicit hybrid(const placement_settings& s)
      : lifelines_(s, s.tuning.interleave ? placement_action::interleaved : placement_action::oldest, s.tuning.guard),
        victims_(s),
        workers_(s.workers),
        alone_(s.places == 1),
        looks_ahead_(s.tuning.look_ahead),
        most_tries_(std::max(s.tuning.random_steals, 0)) {}

  void decide(const placement_event& event, const place_view& seen, std::vector<placement_action>& actions) override {
    place_view view = seen;
    switch (event.what) {
      case placement_event::starved:
        lifelines_.serve(view, actions);
        if (!lifelines_.all_asked()) look_elsewhere(view, actions);  // rule g: an answer may have woken who says so
        break;
      case placement_event::began:
        lifelines_.look_again();
        lifelines_.serve(view, actions);
        lifelines_.relay(view, actions);
        if (view.flexible < low(view) || more_idle_than_tasks(view)) look_elsewhere(view, actions);
        break;
      case placement_event::spawned:
      case placement_event::ended:
        lifelines_.look_again();
        lifelines_.serve(view, actions);
        lifelines_.relay(view, actions);
        if (view.flexible < low(view)) look_elsewhere(view, actions);
        break;
      case placement_event::polled:
        lifelines_.serve(view, actions);
        lifelines_.relay(view, actions);
        break;
      case placement_event::arrived:
        if (event.why == move_cause::lifeline) lifelines_.loot_of(event.from);
        lifelines_.look_again();
        lifelines_.came(event.n, view);
        if (event.why == move_cause::asked && event.nonce == asking_) asking_ = 0;
        lifelines_.serve(view, actions);
        if (more_idle_than_tasks(view)) look_elsewhere(view, actions);
        break;
      case placement_event::asked: answer(event, view, actions); break;
      case placement_event::wanted:
        lifelines_.remember(event.from);
        lifelines_.serve(view, actions);
        lifelines_.relay(view, actions);
        break;
      case placement_event::refused: refused(event, view, actions); break;
      case placement_event::gave_nothing: gave_nothing(event, actions); break;
      case placement_event::load_asked:
      case placement_event::load_told:
      case placement_event::flagged:
      case placement_event::unflagged: break;  // other policies' words
    }
  }

  [[nodiscard]] placement_interest interest(const place_view& view) const override {
    return {
        .everything = lifelines_.somebody_waits(),
        .low = asking_ == 0 ? std::max<std::size_t>(low(view), view.idle > 0 && !lifelines_.all_asked() ? 1 : 0) : 0,
        .poll_at = lifelines_.poll_at(view)};
  }

  void reset() override {
    lifelines_.reset();
    asking_ = 0;
  }

  [[nodiscard]] std::string text() const override {
    return lifelines_.text() + (asking_ == 0 ? "" : "; a question is under way, number " + std::to_string(tries_));
  }

  [[nodiscard]] std::unique_ptr<placement> clone() const override {
    return std::unique_ptr<placement>(new hybrid(*this));
  }

private:
  hybrid(const hybrid&) = default;

  // As many tasks as the workers do until an answer could be here.
  [[nodiscard]] std::size_t low(const place_view& view) const {
    if (!looks_ahead_ || alone_) return 0;
    const std::int64_t task = std::max<std::int64_t>(view.mean_task, 1);
    const std::int64_t meanwhile = (workers_ * (view.rtt + view.poll) + task - 1) / task;
    return static_cast<std::size_t>(std::clamp<std::int64_t>(meanwhile, 1, k_most_ahead * workers_));
  }

  // Rule h: what came has cleared the request that stood for all, and wakes no more workers than there are tasks.
  [[nodiscard]] bool more_idle_than_tasks(const place_view& view) const {
    return static_cast<std::size_t>(view.idle) > view.flexible && !lifelines_.all_asked();
  }

  void look_elsewhere(const place_view& view, std::vector<placement_action>& actions) {
    if (asking_ != 0 || alone_) return;
    tries_ = 0;
    ask(view, actions);
  }

  void ask(const place_view& view, std::vector<placement_action>& actions) {
    if (tries_ == most_tries_) {
      if (view.idle > 0) lifelines_.ask_all(actions);  // though a task wait: a co-worker may take it
      return;
    }
    ++tries_;
    asking_ = ++last_nonce_;
    if (asking_ == 0) asking_ = ++last_nonce_;
    actions.push_back(
        {.what = placement_action::ask, .why = move_cause::asked, .to = victims_.any(), .nonce = asking_});
  }

  void answer(const placement_event& event, place_view& view, std::vector<placement_action>& actions) {
    lifelines_.serve(view, actions);
    if (!lifelines_.give_to(event.from, event.nonce, view, actions)) refuse(event.from, event.nonce, actions);
  }

  void refused(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    if (asking_ == 0 || event.nonce != asking_) return;
    asking_ = 0;
    if (view.idle > 0) ask(view, actions);
  }

  // Rule h: the owners took the tasks before the host came to give them.
  void gave_nothing(const placement_event& event, std::vector<placement_action>& actions) {
    if (event.why == move_cause::lifeline) lifelines_.put_back(event.from, event.n > 0);
    if (event.why == move_cause::asked) refuse(event.from, event.nonce, actions);
  }

  static void refuse(int to, std::uint32_t nonce, std::vector<placement_action>& actions) {
    actions.push_back({.what = placement_action::refuse, .why = move_cause::asked, .to = to, .nonce = nonce});
  }

  lifelines lifelines_;
  random_places victims_;
  int workers_;
  bool alone_;
  bool looks_ahead_;
  int most_tries_;
  int tries_ = 0;
  std::uint32_t asking_ = 0;  // the nonce of the question that is under way, or 0
  std::uint32_t last_nonce_ = 0;
};

}  // namespace

std::unique_ptr<placement> make_hybrid(const placement_settings& settings) {
  return std::make_unique<hybrid>(settings);
}

}  // namespace tactus::detail
