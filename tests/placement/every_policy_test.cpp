// SPDX-License-Identifier: Apache-2.0
// What holds of every policy.
#include <tactus/base/impl/rng.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "placement/policy_host.hpp"

namespace {

using support::move_cause;
using support::placement_action;
using support::placement_event;
using support::placement_settings;
using support::policy_host;
using tactus::placement_policy;

class every_policy : public testing::TestWithParam<placement_policy> {};
INSTANTIATE_TEST_SUITE_P(policies, every_policy,
                         testing::Values(placement_policy::none, placement_policy::work_dealing,
                                         placement_policy::eager_dealing, placement_policy::lifeline,
                                         placement_policy::hybrid, placement_policy::random_stealing,
                                         placement_policy::sender_threshold, placement_policy::proportional));

placement_event drawn(tactus::detail::rng& draw, int places) {
  placement_event e;
  e.what = static_cast<placement_event::kind>(draw.below(placement_event::unflagged + 1));
  e.why = static_cast<move_cause>(draw.below(3));
  e.from = static_cast<int>(1 + draw.below(static_cast<std::uint64_t>(places - 1)));
  e.designated = static_cast<int>(draw.below(static_cast<std::uint64_t>(places)));
  e.nonce = static_cast<std::uint32_t>(draw.below(6));
  e.n = 1;
  e.load = {draw.below(5), static_cast<int>(draw.below(2)), static_cast<std::int64_t>(draw.below(2000))};
  return e;
}

void draw_view(tactus::detail::rng& draw, policy_host& host) {
  host.view.flexible = draw.below(12);
  host.view.sensitive = draw.below(3);
  host.view.idle = static_cast<int>(draw.below(3));
  host.view.leaves = draw.chance(1, 2);
  host.view.now += static_cast<std::int64_t>(draw.below(30'000));
  if (draw.chance(1, 2)) host.view.last_taken = host.view.youngest_began = host.view.now;
}

// No clock, no other state: a log of events gives the same actions again.
TEST_P(every_policy, decides_the_same_on_the_same_events) {
  const placement_settings settings{.here = 0, .places = 7, .workers = 2, .seed = 5};
  policy_host first(GetParam(), settings);
  policy_host second(GetParam(), settings);
  tactus::detail::rng draw(3);
  tactus::detail::rng again(3);
  for (int i = 0; i < 20'000; ++i) {
    draw_view(draw, first);
    draw_view(again, second);
    ASSERT_EQ(first.actions_of(drawn(draw, 7)), second.actions_of(drawn(again, 7))) << "event " << i;
    ASSERT_EQ(first.policy().text(), second.policy().text());
  }
}

TEST_P(every_policy, goes_on_from_a_copy_as_it_would_itself) {
  policy_host host(GetParam(), {.here = 0, .places = 7, .workers = 2, .seed = 5});
  tactus::detail::rng draw(4);
  for (int i = 0; i < 2'000; ++i) {
    const auto copy = host.policy().clone();
    draw_view(draw, host);
    const placement_event e = drawn(draw, 7);
    std::vector<placement_action> of_copy;
    copy->decide(e, host.view, of_copy);
    ASSERT_EQ(host.actions_of(e), of_copy) << "event " << i;
    ASSERT_EQ(host.policy().text(), copy->text());
  }
}

TEST_P(every_policy, sends_nothing_to_itself_and_gives_no_more_than_there_is) {
  tactus::detail::rng draw(9);
  policy_host host(GetParam(), {.here = 0, .places = 7, .workers = 2});
  for (int i = 0; i < 20'000; ++i) {
    draw_view(draw, host);
    std::size_t given = 0;
    for (const placement_action& a : host.actions_of(drawn(draw, 7))) {
      if (a.what != placement_action::deal) {
        ASSERT_NE(a.to, 0);
      }
      ASSERT_LT(a.to, 7);
      given += a.what == placement_action::give ? a.n : 0;
    }
    ASSERT_LE(given, host.view.flexible);
  }
}

}  // namespace
