// SPDX-License-Identifier: Apache-2.0
// A flexible task that is spawned where more than the threshold wait goes to the first of a few random places that stays at or below it with
// this task, else it stays (Eager, Lazowska, Zahorjan 1986).
#include "placement/place_load.hpp"
#include "placement/policies.hpp"
#include "placement/random_places.hpp"

#include <algorithm>
#include <vector>

namespace tactus::detail {
namespace {

class sender_threshold final : public placement {
public:
  explicit sender_threshold(const placement_settings& s)
      : others_(s),
        here_(s.here),
        places_(s.places),
        workers_(s.workers),
        probes_(s.tuning.probes),
        most_(s.tuning.threshold * s.workers) {}

  void decide(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) override {
    switch (event.what) {
      case placement_event::spawned: spawned(event, view, actions); break;
      case placement_event::load_told: told(event, actions); break;
      case placement_event::load_asked: tell_load(event, view, workers_, actions); break;
      case placement_event::asked:
        actions.push_back(
            {.what = placement_action::refuse, .why = move_cause::asked, .to = event.from, .nonce = event.nonce});
        break;
      default: break;
    }
  }

  [[nodiscard]] placement_interest interest(const place_view& /*view*/) const override {
    return {.spawns = places_ > 1};
  }

  void reset() override { held_.clear(); }

  [[nodiscard]] std::string text() const override {
    return "tasks that wait for loads: " + std::to_string(held_.size());
  }

  [[nodiscard]] std::unique_ptr<placement> clone() const override {
    return std::unique_ptr<placement>(new sender_threshold(*this));
  }

private:
  struct held_task {
    std::uint32_t nonce;
    int probes;  // that are left
  };

  sender_threshold(const sender_threshold&) = default;

  // A task that is to go elsewhere anyway is no burden here; nor are those that idle workers are about to take, this one among them.
  void spawned(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    if (places_ == 1 || probes_ <= 0 || event.designated != here_ || static_cast<double>(view.flexible) <= most_)
      return;
    if (view.flexible <= static_cast<std::size_t>(view.idle)) return;
    const std::uint32_t nonce = ++last_nonce_ == 0 ? ++last_nonce_ : last_nonce_;
    held_.push_back({nonce, probes_});
    actions.push_back({.what = placement_action::hold, .nonce = nonce});
    probe(held_.back(), actions);
  }

  void probe(held_task& task, std::vector<placement_action>& actions) {
    --task.probes;
    actions.push_back({.what = placement_action::ask_load, .to = others_.any(), .nonce = task.nonce});
  }

  void told(const placement_event& event, std::vector<placement_action>& actions) {
    const auto task = std::ranges::find(held_, event.nonce, &held_task::nonce);
    if (task == held_.end()) return;
    if (static_cast<double>(event.load.surplus) + 1 <= most_) {
      actions.push_back({.what = placement_action::deal, .to = event.from, .nonce = task->nonce});
    } else if (task->probes > 0) {
      probe(*task, actions);
      return;
    } else {
      actions.push_back({.what = placement_action::keep, .nonce = task->nonce});
    }
    held_.erase(task);
  }

  random_places others_;
  int here_;
  int places_;
  int workers_;
  int probes_;
  double most_;
  std::uint32_t last_nonce_ = 0;
  std::vector<held_task> held_;
};

}  // namespace

std::unique_ptr<placement> make_sender_threshold(const placement_settings& settings) {
  return std::make_unique<sender_threshold>(settings);
}

}  // namespace tactus::detail
