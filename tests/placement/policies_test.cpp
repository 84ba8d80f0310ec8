// SPDX-License-Identifier: Apache-2.0
// The policies that are there to compare with.
#include <gtest/gtest.h>

#include "placement/policy_host.hpp"

namespace {

using support::move_cause;
using support::placement_action;
using support::placement_event;
using support::policy_host;
using tactus::placement_policy;
using tactus::detail::place_load;

placement_event told(int from, std::uint32_t nonce, place_load load) {
  return {.what = placement_event::load_told, .from = from, .nonce = nonce, .load = load};
}

TEST(no_policy, decides_nothing_and_has_nothing_for_who_asks) {
  policy_host host(placement_policy::none, {.places = 4});
  host.view.flexible = 9;
  for (const auto what :
       {placement_event::starved, placement_event::spawned, placement_event::began, placement_event::ended,
        placement_event::polled, placement_event::arrived, placement_event::wanted}) {
    EXPECT_EQ(host.on(what, 1), "");
  }
  EXPECT_EQ(host.asked(2, 5), "refuse 2 #5 asked");
}

// Eager dealing, of places 0 to 3 at 0.
class eager : public testing::Test {
protected:
  policy_host host{placement_policy::eager_dealing, {.here = 0, .places = 4}};
  const placement_event spawn{.what = placement_event::spawned, .designated = 0};

  std::string after_loads(std::size_t of_1, std::size_t of_2, place_load of_3) {
    host.on(spawn);
    EXPECT_EQ(host.on(told(1, 1, {.surplus = of_1})), "");
    EXPECT_EQ(host.on(told(2, 1, {.surplus = of_2})), "");
    return host.on(told(3, 1, of_3));
  }
};

TEST_F(eager, each_spawn_asks_all_loads) {
  EXPECT_EQ(host.on(spawn), "hold #1, ask_load 1 #1, ask_load 2 #1, ask_load 3 #1");
}

TEST_F(eager, the_task_goes_where_least_is_to_be_done) {
  host.view.flexible = 9;
  EXPECT_EQ(after_loads(4, 2, {.surplus = 3}), "deal 2 #1");
}

TEST_F(eager, an_idle_worker_counts_more_than_a_short_queue) {
  host.view.flexible = 9;
  EXPECT_EQ(after_loads(0, 0, {.surplus = 1, .idle = 2}), "deal 3 #1");
}

// Cores before places.
TEST_F(eager, a_task_stays_where_a_worker_idles) {
  host.view.flexible = 1;
  host.view.idle = 2;
  EXPECT_EQ(after_loads(0, 0, {.surplus = 0, .idle = 2}), "keep #1");
  host.on({.what = placement_event::spawned, .designated = 2});
  host.on(told(1, 2, {.idle = 2}));
  host.on(told(2, 2, {.surplus = 1, .idle = 2}));
  EXPECT_EQ(host.on(told(3, 2, {.idle = 2})), "keep #2");
}

// All tasks of a burst are decided about while the same worker idles: it takes one of them, not all.
TEST_F(eager, an_idle_worker_is_idle_for_one_task) {
  host.view.idle = 1;
  host.on(spawn);
  host.on(spawn);
  for (std::uint32_t task = 1; task <= 2; ++task) {
    host.on(told(1, task, {}));
    host.on(told(2, task, {.surplus = 1, .idle = 1}));
  }
  EXPECT_EQ(host.on(told(3, 1, {.idle = 1})), "keep #1");
  host.view.flexible = 1;
  EXPECT_EQ(host.on(told(3, 2, {.idle = 1})), "deal 3 #2");
}

TEST_F(eager, a_task_stays_where_it_is_as_good_as_elsewhere) {
  host.view.flexible = 1;
  EXPECT_EQ(after_loads(1, 1, {.surplus = 1}), "keep #1");
}

TEST_F(eager, answers_of_several_tasks_are_told_apart) {
  host.view.flexible = 5;
  host.on(spawn);
  host.on(spawn);
  EXPECT_EQ(host.on(told(1, 2, {.surplus = 0})) + host.on(told(1, 1, {.surplus = 4})) +
                host.on(told(2, 1, {.surplus = 1})) + host.on(told(2, 2, {.surplus = 4})),
            "");
  EXPECT_EQ(host.on(told(3, 1, {.surplus = 4})), "deal 2 #1");
  EXPECT_EQ(host.on(told(3, 2, {.surplus = 4})), "deal 1 #2");
}

TEST_F(eager, a_load_is_what_waits_here_who_idles_and_how_fast_it_goes) {
  host.view.flexible = 3;
  host.view.sensitive = 2;
  host.view.idle = 1;
  const auto actions = host.actions_of({.what = placement_event::load_asked, .from = 2, .nonce = 8});
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions[0],
            (placement_action{.what = placement_action::tell_load, .to = 2, .nonce = 8, .load = {5, 1, 1000}}));
}

TEST_F(eager, alone_it_asks_nobody) {
  policy_host alone(placement_policy::eager_dealing, {});
  EXPECT_EQ(alone.on(spawn), "");
  EXPECT_FALSE(alone.interest().spawns);
}

// Sender threshold, 2 tasks for each of 2 workers.
class threshold : public testing::Test {
protected:
  policy_host host{placement_policy::sender_threshold, {.here = 0, .places = 2, .workers = 2, .tuning = {.probes = 2}}};
};

TEST_F(threshold, up_to_the_threshold_a_task_stays) {
  host.view.flexible = 4;
  EXPECT_EQ(host.spawned(0), "");
  host.view.flexible = 5;
  EXPECT_EQ(host.spawned(0), "hold #1, ask_load 1 #1");
}

TEST_F(threshold, the_first_that_stays_at_or_below_it_gets_the_task) {
  host.view.flexible = 5;
  host.spawned(0);
  EXPECT_EQ(host.on(told(1, 1, {.surplus = 4})), "ask_load 1 #1");
  EXPECT_EQ(host.on(told(1, 1, {.surplus = 3})), "deal 1 #1");
}

TEST_F(threshold, after_the_last_probe_the_task_stays) {
  host.view.flexible = 5;
  host.spawned(0);
  host.on(told(1, 1, {.surplus = 9}));
  EXPECT_EQ(host.on(told(1, 1, {.surplus = 9})), "keep #1");
  EXPECT_EQ(host.on(told(1, 1, {.surplus = 0})), "");  // it is not held any more
}

TEST_F(threshold, what_is_to_go_elsewhere_is_no_burden) {
  host.view.flexible = 50;
  EXPECT_EQ(host.spawned(1), "");
}

// Random stealing and proportional ask alike.
class asking : public testing::TestWithParam<placement_policy> {
protected:
  policy_host host{GetParam(), {.here = 0, .places = 3}};
  void SetUp() override { host.view.idle = 1; }
};
INSTANTIATE_TEST_SUITE_P(policies, asking,
                         testing::Values(placement_policy::random_stealing, placement_policy::proportional));

TEST_P(asking, who_starves_asks_until_as_many_have_refused_as_there_are_others_and_then_rests) {
  EXPECT_TRUE(host.on(placement_event::starved).starts_with("ask "));
  EXPECT_TRUE(host.refused(1, 1).starts_with("ask "));
  EXPECT_EQ(host.refused(1, 2), "");
  EXPECT_EQ(host.on(placement_event::starved), "");
  EXPECT_EQ(host.interest().poll_at, host.view.now + 1'000'000);
}

TEST_P(asking, it_asks_again_after_a_millisecond) {
  host.on(placement_event::starved);
  host.refused(1, 1);
  host.refused(1, 2);
  host.view.now += 999'999;
  EXPECT_EQ(host.on(placement_event::polled), "");
  ++host.view.now;
  EXPECT_TRUE(host.on(placement_event::polled).starts_with("ask "));
  EXPECT_EQ(host.interest().poll_at, tactus::detail::k_never);
}

TEST_P(asking, it_asks_no_more_when_nobody_idles) {
  host.on(placement_event::starved);
  host.view.idle = 0;
  EXPECT_EQ(host.refused(1, 1), "");
  EXPECT_EQ(host.interest().poll_at, tactus::detail::k_never);
}

TEST_P(asking, a_give_that_found_nothing_is_a_refusal) {
  EXPECT_EQ(host.on({.what = placement_event::gave_nothing, .why = move_cause::asked, .from = 2, .nonce = 4}),
            "refuse 2 #4 asked");
}

TEST(random_stealing, gives_the_older_half_but_one_and_what_idle_workers_take) {
  policy_host host(placement_policy::random_stealing, {.places = 3});
  host.view.flexible = 1;
  EXPECT_EQ(host.asked(1, 1), "refuse 1 #1 asked");
  host.view.flexible = 9;
  EXPECT_EQ(host.asked(1, 1), "give 1 x4 #1 asked");
  host.view.flexible = 8;
  host.view.idle = 4;
  EXPECT_EQ(host.asked(1, 1), "give 1 x2 #1 asked");
  host.view.flexible = 4;
  EXPECT_EQ(host.asked(1, 1), "refuse 1 #1 asked");
}

TEST(proportional, shares_in_the_ratio_of_speeds) {
  policy_host host(placement_policy::proportional, {.places = 3});  // 1000 tasks in a second
  host.view.flexible = 12;
  const auto ask = [&](place_load load) {
    return host.on({.what = placement_event::asked, .why = move_cause::asked, .from = 1, .nonce = 1, .load = load});
  };
  EXPECT_EQ(ask({.surplus = 0, .speed = 1000}), "give 1 x6 #1 asked");
  EXPECT_EQ(ask({.surplus = 0, .speed = 500}), "give 1 x4 #1 asked");
  EXPECT_EQ(ask({.surplus = 0, .speed = 3000}), "give 1 x9 #1 asked");
  EXPECT_EQ(ask({.surplus = 8, .speed = 1000}), "give 1 x2 #1 asked");
  EXPECT_EQ(ask({.surplus = 11, .speed = 1000}), "refuse 1 #1 asked");
  host.view.flexible = 2;
  host.view.sensitive = 10;
  EXPECT_EQ(ask({.surplus = 0, .speed = 1000}), "give 1 x2 #1 asked");  // no more may leave
}

TEST(proportional, tells_its_own_load_when_it_asks) {
  policy_host host(placement_policy::proportional, {.places = 2});
  host.view.idle = 1;
  host.view.sensitive = 3;
  const auto actions = host.actions_of({.what = placement_event::starved});
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions[0].load, (place_load{3, 1, 1000}));
}

class lifeline : public testing::Test {
protected:
  policy_host host{placement_policy::lifeline, {.here = 0, .places = 16}};  // lifelines 3 and 12
  void SetUp() override { host.view.idle = 1; }
};

TEST_F(lifeline, who_starves_asks_at_random_and_then_its_lifelines_one_after_the_other) {
  const auto first = host.actions_of({.what = placement_event::starved});
  ASSERT_EQ(text_of(first.at(0)), "ask " + std::to_string(first[0].to) + " #1");
  EXPECT_EQ(host.refused(first[0].to, 1), "lifeline 3");
  EXPECT_EQ(host.not_yet(3), "lifeline 12");
  EXPECT_EQ(host.not_yet(12), "");
}

TEST_F(lifeline, loot_ends_the_search) {
  const int victim = host.actions_of({.what = placement_event::starved}).at(0).to;
  host.refused(victim, 1);
  host.view.flexible = 1;
  host.arrived(3, move_cause::lifeline);
  EXPECT_EQ(host.not_yet(3), "");
  EXPECT_EQ(host.policy().text(), "waiting here:; asked:");
}

TEST_F(lifeline, who_has_nothing_remembers_and_says_so) {
  EXPECT_EQ(host.on(placement_event::wanted, 7), "refuse 7 lifeline");
  host.view.idle = 0;
  host.view.flexible = 9;
  EXPECT_EQ(host.on(placement_event::ended), "give 7 x4 lifeline");
  EXPECT_EQ(host.on(placement_event::wanted, 7), "give 7 x4 lifeline");
}

// Rule h: else it would ask none of its other lifelines.
TEST_F(lifeline, who_was_to_be_served_and_got_nothing_is_told_not_yet) {
  host.view.idle = 0;
  host.view.flexible = 9;
  EXPECT_EQ(host.on(placement_event::wanted, 7), "give 7 x4 lifeline");
  host.view.flexible = 0;
  EXPECT_EQ(host.on({.what = placement_event::gave_nothing, .why = move_cause::lifeline, .from = 7}),
            "refuse 7 lifeline");
  EXPECT_EQ(host.on({.what = placement_event::gave_nothing, .why = move_cause::asked, .from = 5, .nonce = 3}),
            "refuse 5 #3 asked");
  EXPECT_EQ(host.policy().text(), "waiting here: 7; asked:");
}

// Rule h: they were not woken for the task that came.
TEST_F(lifeline, who_takes_the_last_task_asks_for_co_workers_that_sleep) {
  EXPECT_EQ(host.interest().low, 1U);
  EXPECT_TRUE(host.on(placement_event::began).starts_with("ask "));
}

TEST_F(lifeline, loot_that_is_not_enough_for_all_that_idle_does_not_end_the_search) {
  host.view.idle = 2;
  host.view.flexible = 1;
  EXPECT_TRUE(host.arrived(5, move_cause::lifeline).starts_with("ask "));
}

TEST_F(lifeline, it_does_not_look_ahead) {
  host.view.idle = 0;
  EXPECT_EQ(host.on(placement_event::ended), "");
  EXPECT_EQ(host.interest().low, 0U);
}

}  // namespace
