// SPDX-License-Identifier: Apache-2.0
// A place that starves asks one place after the other, and says how many tasks it has and how fast it does them; the partner gives so many of
// its own that both would be done at the same time (Lau, Lu, Leung 2006). One that has none to give remembers who asked, and tells him when it
// has: so a place whom all others remember is silent, and is told of work all the same.
#include "placement/place_load.hpp"
#include "placement/policies.hpp"
#include "placement/random_places.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tactus::detail {
namespace {

class proportional final : public placement {
public:
  explicit proportional(const placement_settings& s)
      : others_(s),
        here_(s.here),
        places_(s.places),
        workers_(s.workers),
        remembers_me_(static_cast<std::size_t>(s.places)),
        knows_me_idle_(static_cast<std::size_t>(s.places)) {}

  void decide(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) override {
    switch (event.what) {
      case placement_event::starved: ask_somebody(view, actions); break;
      case placement_event::refused: refused(event, view, actions); break;
      case placement_event::load_told: told(event.from, view, actions); break;
      case placement_event::arrived: arrived(event, view, actions); break;
      case placement_event::spawned:
      case placement_event::began:
      case placement_event::ended:
      case placement_event::polled: tell_who_asked(event, view, actions); break;
      case placement_event::asked: asked(event, view, actions); break;
      case placement_event::gave_nothing: gave_nothing(event, view, actions); break;
      default: break;
    }
  }

  [[nodiscard]] placement_interest interest(const place_view& /*view*/) const override {
    return {.everything = !waiters_.empty()};
  }

  void reset() override {
    asking_ = 0;
    asked_ = told_by_ = -1;
    has_been_told_ = false;
    remembers_me_.assign(remembers_me_.size(), false);
    knows_me_idle_.assign(knows_me_idle_.size(), false);
    remember_me_ = 0;
    waiters_.clear();
  }

  [[nodiscard]] std::string text() const override {
    std::string all = asking_ != 0 ? "a question is under way; remembered by:" : "remembered by:";
    for (int p = 0; p < places_; ++p) {
      if (remembers_me_[static_cast<std::size_t>(p)]) all += ' ' + std::to_string(p);
    }
    if (told_by_ >= 0) all += "; last told by: " + std::to_string(told_by_);
    if (asking_ != 0 && has_been_told_) all += ", whom it asks";
    all += "; waiting here:";
    for (const waiter& w : waiters_) {
      all += ' ' + std::to_string(w.place) + " with " + std::to_string(w.load.surplus) + " tasks, " +
             std::to_string(w.load.idle) + " idle, " + std::to_string(w.load.speed) + " a second" +
             (w.in_vain ? ", in vain" : "");
    }
    return all;
  }

  [[nodiscard]] std::unique_ptr<placement> clone() const override {
    return std::unique_ptr<placement>(new proportional(*this));
  }

private:
  struct waiter {
    int place;
    place_load load;  // when it asked
    bool in_vain;     // what waits here may not go there
  };

  proportional(const proportional&) = default;

  // ---- who asks ----

  void ask_somebody(const place_view& view, std::vector<placement_action>& actions) {
    if (asking_ != 0) return;
    if (has_nothing(view)) forget_who_remembers_more();
    if (remember_me_ == places_ - 1) return;
    if (told_by_ >= 0 && !remembers_me_[static_cast<std::size_t>(told_by_)]) {
      ask(told_by_, view, actions);
      return;
    }
    int p = others_.any();
    while (p == here_ || remembers_me_[static_cast<std::size_t>(p)]) p = (p + 1) % places_;
    ask(p, view, actions);
  }

  [[nodiscard]] bool has_nothing(const place_view& view) const {
    return view.idle >= workers_ && view.flexible + view.sensitive == 0;
  }

  // They go by the load that they were told, and by that one would not tell this place. Each is asked once more then.
  void forget_who_remembers_more() {
    for (std::size_t p = 0; p < remembers_me_.size(); ++p) {
      if (remembers_me_[p] && !knows_me_idle_[p]) {
        remembers_me_[p] = false;
        --remember_me_;
      }
    }
  }

  void ask(int to, const place_view& view, std::vector<placement_action>& actions) {
    knows_me_idle_[static_cast<std::size_t>(to)] = has_nothing(view);
    told_by_ = -1;
    has_been_told_ = false;
    asked_ = to;
    asking_ = ++last_nonce_ == 0 ? ++last_nonce_ : last_nonce_;
    actions.push_back({.what = placement_action::ask,
                       .why = move_cause::asked,
                       .to = to,
                       .nonce = asking_,
                       .load = load_of(view, workers_)});
  }

  void refused(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    if (asking_ == 0 || event.nonce != asking_) return;
    asking_ = 0;
    if (!has_been_told_) {
      const auto from = static_cast<std::size_t>(event.from);
      remember_me_ += remembers_me_[from] ? 0 : 1;
      remembers_me_[from] = true;
    }
    if (static_cast<std::size_t>(view.idle) > view.flexible) ask_somebody(view, actions);
  }

  void told(int by, const place_view& view, std::vector<placement_action>& actions) {
    const auto from = static_cast<std::size_t>(by);
    remember_me_ -= remembers_me_[from] ? 1 : 0;
    remembers_me_[from] = false;
    told_by_ = by;
    has_been_told_ = has_been_told_ || by == asked_;  // perhaps what it said before is still on its way
    if (static_cast<std::size_t>(view.idle) > view.flexible) ask_somebody(view, actions);
  }

  void arrived(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    if (event.why == move_cause::asked && event.nonce == asking_) asking_ = 0;
    tell_who_asked(event, view, actions);
    // As many are woken as tasks have come; the others have said before that they starve.
    if (static_cast<std::size_t>(view.idle) > view.flexible) ask_somebody(view, actions);
  }

  // ---- who is asked ----

  // Those that run count: what waits behind them is what can be done elsewhere meanwhile.
  [[nodiscard]] double tasks_of(const place_load& load) const {
    return static_cast<double>(load.surplus) + std::max(workers_ - load.idle, 0);
  }

  // With n_s tasks at speed v_s here and n_r at v_r there: k such that (n_s - k) / v_s = (n_r + k) / v_r, rounded down; of those that idle
  // workers here are not about to take.
  [[nodiscard]] std::size_t tasks_to_move(const place_view& view, const place_load& there) const {
    const auto idle = static_cast<std::size_t>(view.idle);
    if (view.flexible <= idle) return 0;
    const place_load here = load_of(view, workers_);
    const double v_s = static_cast<double>(std::max<std::int64_t>(here.speed, 1));
    const double v_r = static_cast<double>(std::max<std::int64_t>(there.speed, 1));
    const double k = (tasks_of(here) * v_r - tasks_of(there) * v_s) / (v_s + v_r);
    return k < 1 ? 0 : std::min(static_cast<std::size_t>(k), view.flexible - idle);
  }

  void asked(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    const std::size_t n = tasks_to_move(view, event.load);
    if (n == 0) {
      remember({event.from, event.load, false});
      refuse(event, actions);
      return;
    }
    forget(event.from);
    actions.push_back(
        {.what = placement_action::give, .why = move_cause::asked, .to = event.from, .nonce = event.nonce, .n = n});
  }

  // The load that it has told is gone; it asked since a worker idled.
  void gave_nothing(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    remember({event.from, {.surplus = 0, .idle = 1, .speed = load_of(view, workers_).speed}, event.n > 0});
    refuse(event, actions);
  }

  void forget(int place) {
    std::erase_if(waiters_, [place](const waiter& w) { return w.place == place; });
  }

  void remember(const waiter& who) {
    forget(who.place);
    waiters_.push_back(who);
  }

  static void refuse(const placement_event& event, std::vector<placement_action>& actions) {
    actions.push_back(
        {.what = placement_action::refuse, .why = move_cause::asked, .to = event.from, .nonce = event.nonce});
  }

  // As many as there is something for. They ask again, and say what they have by then.
  void tell_who_asked(const placement_event& event, const place_view& seen, std::vector<placement_action>& actions) {
    if (event.what != placement_event::polled) {
      for (waiter& w : waiters_) w.in_vain = false;
    }
    if (waiters_.empty() || seen.flexible <= static_cast<std::size_t>(seen.idle)) return;
    place_view view = seen;
    std::vector<waiter> untold;
    for (const waiter& w : waiters_) {
      const std::size_t n = w.in_vain ? 0 : tasks_to_move(view, w.load);
      if (n == 0) {
        untold.push_back(w);
        continue;
      }
      view.flexible -= n;
      actions.push_back({.what = placement_action::tell_load, .to = w.place, .load = load_of(seen, workers_)});
    }
    waiters_.swap(untold);
  }

  random_places others_;
  int here_;
  int places_;
  int workers_;
  std::uint32_t asking_ = 0;  // the nonce of the question that is under way, or 0
  std::uint32_t last_nonce_ = 0;
  int asked_ = -1;                   // whom the last question went to
  bool has_been_told_ = false;       // by that one, since
  int told_by_ = -1;                 // who was the last to say that it has tasks, and was not asked since
  std::vector<bool> remembers_me_;   // each place: it has refused, and not said since that it has tasks
  int remember_me_ = 0;              // so many of them do
  std::vector<bool> knows_me_idle_;  // each place: the last question to it said that nothing is here, and that all idle
  std::vector<waiter> waiters_;      // in the order of their questions, each place once
};

}  // namespace

std::unique_ptr<placement> make_proportional(const placement_settings& settings) {
  return std::make_unique<proportional>(settings);
}

}  // namespace tactus::detail
