// SPDX-License-Identifier: Apache-2.0
// A place that starves asks random others until one gives it the older half of what waits there.
#include "placement/asking_around.hpp"
#include "placement/policies.hpp"

namespace tactus::detail {
namespace {

class random_stealing final : public placement {
public:
  explicit random_stealing(const placement_settings& s) : around_(s) {}

  void decide(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) override {
    switch (event.what) {
      case placement_event::starved: around_.starved(view, actions); break;
      case placement_event::polled: around_.polled(view, actions); break;
      case placement_event::refused: around_.refused(event, view, actions); break;
      case placement_event::arrived: around_.arrived(event, view, actions); break;
      case placement_event::asked: asked(event, view, actions); break;
      case placement_event::gave_nothing: asking_around::refuse(event.from, event.nonce, actions); break;
      default: break;
    }
  }

  [[nodiscard]] placement_interest interest(const place_view& /*view*/) const override { return around_.interest(); }
  void reset() override { around_.reset(); }
  [[nodiscard]] std::string text() const override { return around_.text(); }
  [[nodiscard]] std::unique_ptr<placement> clone() const override {
    return std::unique_ptr<placement>(new random_stealing(*this));
  }

private:
  random_stealing(const random_stealing&) = default;

  // What idle workers are about to take is theirs; where all compute, one task is kept, so that it does not wander for ever.
  static void asked(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) {
    const std::size_t kept = view.idle > 0 ? static_cast<std::size_t>(view.idle) : 1;
    if (view.flexible <= kept) {
      asking_around::refuse(event.from, event.nonce, actions);
      return;
    }
    actions.push_back({.what = placement_action::give,
                       .why = move_cause::asked,
                       .to = event.from,
                       .nonce = event.nonce,
                       .n = (view.flexible - kept + 1) / 2});
  }

  asking_around around_;
};

}  // namespace

std::unique_ptr<placement> make_random_stealing(const placement_settings& settings) {
  return std::make_unique<random_stealing>(settings);
}

}  // namespace tactus::detail
