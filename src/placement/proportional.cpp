// SPDX-License-Identifier: Apache-2.0
// A place that starves tells a random partner how many tasks it has and how fast it does them; the partner gives so many of its own that both
// would be done at the same time (Lau, Lu, Leung 2006).
#include "placement/asking_around.hpp"
#include "placement/policies.hpp"

#include <algorithm>

namespace tactus::detail {
namespace {

// With n_s tasks at speed v_s here and n_r at v_r there: k such that (n_s - k) / v_s = (n_r + k) / v_r, rounded down.
std::size_t tasks_to_move(const place_load& here, const place_load& there) {
  const double v_s = static_cast<double>(std::max<std::int64_t>(here.speed, 1));
  const double v_r = static_cast<double>(std::max<std::int64_t>(there.speed, 1));
  const double k = (static_cast<double>(here.surplus) * v_r - static_cast<double>(there.surplus) * v_s) / (v_s + v_r);
  return k < 1 ? 0 : static_cast<std::size_t>(k);
}

class proportional final : public placement {
public:
  explicit proportional(const placement_settings& s) : around_(s), workers_(s.workers) {}

  void decide(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) override {
    switch (event.what) {
      case placement_event::starved: around_.starved(view, actions); break;
      case placement_event::polled: around_.polled(view, actions); break;
      case placement_event::refused: around_.refused(event, view, actions); break;
      case placement_event::arrived: around_.arrived(event); break;
      case placement_event::asked: asked(event, view, actions); break;
      case placement_event::gave_nothing: asking_around::refuse(event.from, event.nonce, actions); break;
      default: break;
    }
  }

  [[nodiscard]] placement_interest interest(const place_view& /*view*/) const override { return around_.interest(); }
  void reset() override { around_.reset(); }
  [[nodiscard]] std::string text() const override { return around_.text(); }
  [[nodiscard]] std::unique_ptr<placement> clone() const override {
    return std::unique_ptr<placement>(new proportional(*this));
  }

private:
  proportional(const proportional&) = default;

  void asked(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) const {
    const std::size_t n = std::min(tasks_to_move(load_of(view, workers_), event.load), view.flexible);
    if (n == 0) {
      asking_around::refuse(event.from, event.nonce, actions);
      return;
    }
    actions.push_back(
        {.what = placement_action::give, .why = move_cause::asked, .to = event.from, .nonce = event.nonce, .n = n});
  }

  asking_around around_;
  int workers_;
};

}  // namespace

std::unique_ptr<placement> make_proportional(const placement_settings& settings) {
  return std::make_unique<proportional>(settings);
}

}  // namespace tactus::detail
