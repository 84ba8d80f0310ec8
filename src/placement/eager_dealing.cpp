// SPDX-License-Identifier: Apache-2.0
// At each spawn of a flexible task all places are asked for their loads; where its designated place has an idle worker that nothing waits for
// it goes there (cores before places), else to one with such workers, else to the one that has least to do (hybrid-placement.txt, section 8.3).
#include "placement/place_load.hpp"
#include "placement/policies.hpp"

#include <tactus/base/impl/rng.hpp>

#include <algorithm>
#include <compare>
#include <limits>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

// The less, the better a place it is: the designated place with an idle worker, idle workers before none, then less to do, then the designated
// place, then the first from a place that was drawn, so that not all who ask at a time choose one.
struct rank {
  int minus_idle;
  std::size_t surplus;
  int distance;

  auto operator<=>(const rank&) const = default;
};

class eager_dealing final : public placement {
public:
  explicit eager_dealing(const placement_settings& s)
      : draw_(s.seed, static_cast<std::uint64_t>(s.here)), here_(s.here), places_(s.places), workers_(s.workers) {}

  void decide(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) override {
    switch (event.what) {
      case placement_event::spawned: spawned(event, actions); break;
      case placement_event::load_told: told(event, view, actions); break;
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
    return std::unique_ptr<placement>(new eager_dealing(*this));
  }

private:
  struct held_task {
    std::uint32_t nonce;
    int designated;
    int first;    // place from which distances count
    int missing;  // answers
    int best;
    rank best_rank;
  };

  eager_dealing(const eager_dealing&) = default;

  void spawned(const placement_event& event, std::vector<placement_action>& actions) {
    if (places_ == 1) return;
    const std::uint32_t nonce = ++last_nonce_ == 0 ? ++last_nonce_ : last_nonce_;
    const int first = static_cast<int>(draw_.below(static_cast<std::uint64_t>(places_)));
    held_.push_back({nonce, event.designated, first, places_ - 1, -1, {}});
    actions.push_back({.what = placement_action::hold, .nonce = nonce});
    for (int p = 0; p < places_; ++p) {
      if (p != here_) actions.push_back({.what = placement_action::ask_load, .to = p, .nonce = nonce});
    }
  }

  void told(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    const auto task = std::ranges::find(held_, event.nonce, &held_task::nonce);
    if (task == held_.end()) return;
    consider(*task, event.from, event.load);
    if (--task->missing > 0) return;
    consider(*task, here_, load_of(view, workers_));
    if (task->best == task->designated) {
      actions.push_back({.what = placement_action::keep, .nonce = task->nonce});
    } else {
      actions.push_back({.what = placement_action::deal, .to = task->best, .nonce = task->nonce});
    }
    held_.erase(task);
  }

  // An idle worker is about to take what waits: one who answers many at a time would else be idle for all of them.
  static int free_workers(const place_load& load) {
    return load.surplus >= static_cast<std::size_t>(load.idle) ? 0 : load.idle - static_cast<int>(load.surplus);
  }

  void consider(held_task& task, int place, const place_load& load) const {
    const bool is_designated = place == task.designated;
    const int distance = is_designated ? -1 : (place - task.first + places_) % places_;
    const int free = free_workers(load);
    const int idle = is_designated && free > 0 ? std::numeric_limits<int>::max() : free;
    const rank of_place{-idle, load.surplus, distance};
    if (task.best < 0 || of_place < task.best_rank) {
      task.best = place;
      task.best_rank = of_place;
    }
  }

  rng draw_;
  int here_;
  int places_;
  int workers_;
  std::uint32_t last_nonce_ = 0;
  std::vector<held_task> held_;
};

}  // namespace

std::unique_ptr<placement> make_eager_dealing(const placement_settings& settings) {
  return std::make_unique<eager_dealing>(settings);
}

}  // namespace tactus::detail
