// SPDX-License-Identifier: Apache-2.0
#include "placement/policies.hpp"

namespace tactus::detail {
namespace {

class no_placement final : public placement {
public:
  void decide(const placement_event& event, const place_view& /*view*/,
              std::vector<placement_action>& actions) override {
    // Nobody asks under this policy; but whoever does gets an answer.
    if (event.what == placement_event::asked) {
      actions.push_back(
          {.what = placement_action::refuse, .why = move_cause::asked, .to = event.from, .nonce = event.nonce});
    }
  }
  [[nodiscard]] placement_interest interest(const place_view& /*view*/) const override { return {}; }
  void reset() override {}
  [[nodiscard]] std::string text() const override { return {}; }
  [[nodiscard]] std::unique_ptr<placement> clone() const override { return std::make_unique<no_placement>(); }
};

}  // namespace

std::unique_ptr<placement> make_no_placement() { return std::make_unique<no_placement>(); }

}  // namespace tactus::detail
