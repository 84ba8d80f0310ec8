// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of hybrid-placement.txt. A place of which a worker has failed n times raises a flag; who spawns a flexible task whose designated
// place has none sends it to a place that has, and takes that flag down. Two things are ours: the scan begins behind the place that was
// served last, and a flag comes down when a worker of its place finds work otherwise, of any kind.
#include "placement/lifeline_graph.hpp"
#include "placement/policies.hpp"
#include "placement/random_places.hpp"
#include "placement/starving_places.hpp"

#include <optional>
#include <vector>

namespace tactus::detail {
namespace {

constexpr int k_told_all = 64;       // as many places are told by each
constexpr int k_told_at_random = 4;  // where there are more, besides the lifelines

class work_dealing final : public placement {
public:
  explicit work_dealing(const placement_settings& s) : settings_(s), others_(s), last_served_(s.here) {
    if (s.flags == nullptr) own_flags_.emplace(s.places);
  }

  void decide(const placement_event& event, const place_view& /*view*/,
              std::vector<placement_action>& actions) override {
    switch (event.what) {
      case placement_event::starved:
        if (settings_.places > 1 && flags().raise(here())) tell_others(placement_action::flag, actions);
        break;
      case placement_event::began:
      case placement_event::arrived:
        if (flags().take_down(here())) tell_others(placement_action::unflag, actions);
        break;
      case placement_event::spawned: spawned(event.designated, actions); break;
      case placement_event::flagged: flags().raise(event.from); break;
      case placement_event::unflagged: flags().take_down(event.from); break;
      case placement_event::asked:
        actions.push_back(
            {.what = placement_action::refuse, .why = move_cause::asked, .to = event.from, .nonce = event.nonce});
        break;
      default: break;
    }
  }

  [[nodiscard]] placement_interest interest(const place_view& /*view*/) const override {
    const bool is_up = flags().is_up(here());
    return {.everything = is_up, .spawns = true, .any_work = is_up};
  }

  void reset() override {
    flags().clear();
    last_served_ = here();
  }

  [[nodiscard]] std::string text() const override { return flags().text(); }

  [[nodiscard]] std::unique_ptr<placement> clone() const override {
    return std::unique_ptr<placement>(new work_dealing(*this));
  }

private:
  work_dealing(const work_dealing&) = default;

  [[nodiscard]] int here() const { return settings_.here; }
  [[nodiscard]] const starving_places& flags() const { return own_flags_ ? *own_flags_ : *settings_.flags; }
  starving_places& flags() { return own_flags_ ? *own_flags_ : *settings_.flags; }

  // Lines 7 to 23. Of several who see a flag one takes it down; the others look on.
  void spawned(int designated, std::vector<placement_action>& actions) {
    if (!flags().any() || flags().is_up(designated)) return;
    for (int q = flags().next(last_served_, designated); q >= 0; q = flags().next(q, designated)) {
      if (!flags().take_down(q)) continue;
      last_served_ = q;
      if (q == here()) tell_others(placement_action::unflag, actions);  // nothing arrives that would
      actions.push_back({.what = placement_action::deal, .to = q});
      return;
    }
  }

  // Who shares the table sees it there.
  void tell_others(placement_action::kind what, std::vector<placement_action>& actions) {
    if (!own_flags_) return;
    if (settings_.places <= k_told_all) {
      for (int p = 0; p < settings_.places; ++p) {
        if (p != here()) actions.push_back({.what = what, .to = p});
      }
      return;
    }
    if (what == placement_action::flag) {
      told_ = lifelines_of(here(), settings_.places, settings_.tuning.lifeline_base);
      for (int i = 0; i < k_told_at_random; ++i) told_.push_back(others_.any());
    }
    for (const int p : told_) actions.push_back({.what = what, .to = p});
  }

  placement_settings settings_;
  std::optional<starving_places> own_flags_;
  random_places others_;
  std::vector<int> told_;  // that the flag here is up
  int last_served_;
};

}  // namespace

std::unique_ptr<placement> make_work_dealing(const placement_settings& settings) {
  return std::make_unique<work_dealing>(settings);
}

}  // namespace tactus::detail
