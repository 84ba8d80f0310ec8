// SPDX-License-Identifier: Apache-2.0
// The rules of docs/protocols/placement.md, one by one. Of two places each asks the other, so nothing is random.
#include <gtest/gtest.h>

#include "placement/policy_host.hpp"

namespace {

using support::move_cause;
using support::placement_event;
using support::placement_settings;
using support::policy_host;
using tactus::placement_policy;

constexpr placement_settings k_of_two{.here = 0, .places = 2};

class hybrid : public testing::Test {
protected:
  policy_host one_of_two{placement_policy::hybrid, k_of_two};
  policy_host one_of_16{placement_policy::hybrid, {.here = 0, .places = 16}};  // lifelines 3 and 12

  void SetUp() override {
    one_of_two.view.flexible = one_of_16.view.flexible = 10;  // nothing to look ahead for
  }
};

TEST_F(hybrid, who_starves_asks_one_place_and_only_once_until_the_answer) {
  one_of_two.view.flexible = 0;
  one_of_two.view.idle = 1;
  EXPECT_EQ(one_of_two.on(placement_event::starved), "ask 1 #1");
  EXPECT_EQ(one_of_two.on(placement_event::starved), "");
}

TEST_F(hybrid, after_a_refusal_an_idle_place_uses_all_lifelines_at_once_each_once) {
  one_of_16.view.flexible = 0;
  one_of_16.view.idle = 1;
  one_of_16.on(placement_event::starved);
  EXPECT_EQ(one_of_16.refused(5, 1), "lifeline 3, lifeline 12");
  EXPECT_EQ(one_of_16.on(placement_event::starved), "");  // rule g
}

TEST_F(hybrid, a_refusal_of_who_computes_is_no_matter) {
  one_of_16.view.flexible = 0;
  one_of_16.on(placement_event::ended);
  EXPECT_EQ(one_of_16.refused(5, 1), "");
}

// A worker may take it that did not say that it starves.
TEST_F(hybrid, a_task_that_waits_keeps_no_idle_place_from_its_lifelines) {
  one_of_16.view.flexible = 0;
  one_of_16.view.idle = 1;
  one_of_16.on(placement_event::starved);
  one_of_16.view.flexible = 1;
  EXPECT_EQ(one_of_16.refused(5, 1), "lifeline 3, lifeline 12");
}

TEST_F(hybrid, an_answer_to_an_older_question_changes_nothing) {
  one_of_16.view.flexible = 0;
  one_of_16.view.idle = 1;
  one_of_16.on(placement_event::starved);
  one_of_16.arrived(4, move_cause::asked, 1);
  EXPECT_EQ(one_of_16.refused(4, 1), "");
  EXPECT_EQ(one_of_16.refused(4, 0), "");
}

TEST_F(hybrid, several_places_are_asked_at_random_if_tuned_so) {
  policy_host three(placement_policy::hybrid, {.places = 2, .tuning = {.random_steals = 3}});
  three.view.idle = 1;
  EXPECT_EQ(three.on(placement_event::starved), "ask 1 #1");
  EXPECT_EQ(three.refused(1, 1), "ask 1 #2");
  EXPECT_EQ(three.refused(1, 2), "ask 1 #3");
  EXPECT_EQ(three.refused(1, 3), "lifeline 1");
}

TEST_F(hybrid, who_has_few_tasks_left_asks_before_it_starves) {
  one_of_two.view.flexible = 1;
  EXPECT_EQ(one_of_two.on(placement_event::began), "");
  one_of_two.view.flexible = 0;
  EXPECT_EQ(one_of_two.on(placement_event::began), "ask 1 #1");
}

TEST_F(hybrid, it_looks_so_far_ahead_as_an_answer_takes) {
  one_of_two.view.mean_task = 1'000;
  one_of_two.view.poll = 1'000;  // an answer is here after 5 tasks
  one_of_two.view.flexible = 5;
  EXPECT_EQ(one_of_two.on(placement_event::began), "");
  EXPECT_EQ(one_of_two.interest().low, 5U);
  one_of_two.view.flexible = 4;
  EXPECT_EQ(one_of_two.on(placement_event::began), "ask 1 #1");
  EXPECT_EQ(one_of_two.interest().low, 0U);  // one question at a time
  one_of_two.view.mean_task = 1;
  one_of_two.refused(1, 1);
  EXPECT_EQ(one_of_two.interest().low, 64U);
}

TEST_F(hybrid, without_look_ahead_it_waits_until_it_starves) {
  policy_host later(placement_policy::hybrid, {.places = 2, .tuning = {.look_ahead = false}});
  EXPECT_EQ(later.on(placement_event::ended), "");
  EXPECT_EQ(later.on(placement_event::began), "");
  EXPECT_EQ(later.interest().low, 0U);
}

// Rule h: they were not woken for the task that came.
TEST_F(hybrid, without_look_ahead_who_takes_the_last_task_asks_for_co_workers_that_sleep) {
  policy_host later(placement_policy::hybrid, {.places = 2, .workers = 2, .tuning = {.look_ahead = false}});
  later.view.idle = 1;
  EXPECT_EQ(later.interest().low, 1U);
  EXPECT_EQ(later.on(placement_event::began), "ask 1 #1");
  EXPECT_EQ(later.arrived(1, move_cause::asked, 1), "ask 1 #2");
  later.view.flexible = 1;
  EXPECT_EQ(later.arrived(1, move_cause::asked, 2), "");  // it is for the one that sleeps
}

TEST_F(hybrid, who_is_asked_gives_half_of_what_it_can_spare_every_second) {
  EXPECT_EQ(one_of_two.asked(1, 9), "give 1 x5 #9 interleaved asked");  // of 10, one is kept
  one_of_two.view.flexible = 2;
  EXPECT_EQ(one_of_two.asked(1, 9), "give 1 x1 #9 interleaved asked");
  one_of_two.view.flexible = 1;
  EXPECT_EQ(one_of_two.asked(1, 9), "refuse 1 #9 asked");
}

TEST_F(hybrid, idle_workers_get_theirs_first) {
  one_of_two.view.idle = 3;
  EXPECT_EQ(one_of_two.asked(1, 9), "give 1 x4 #9 interleaved asked");
  one_of_two.view.flexible = 3;
  EXPECT_EQ(one_of_two.asked(1, 9), "refuse 1 #9 asked");
}

// Rule c.
TEST_F(hybrid, a_place_whose_workers_have_long_not_taken_a_task_gives_the_last_one) {
  one_of_two.view.flexible = 1;
  EXPECT_EQ(one_of_two.on(placement_event::wanted, 1), "");
  EXPECT_EQ(one_of_two.interest().poll_at, one_of_two.view.last_taken + 4 * 5'000 + 1);
  one_of_two.view.now = one_of_two.view.last_taken + 4 * 5'000;
  EXPECT_EQ(one_of_two.on(placement_event::polled), "");
  ++one_of_two.view.now;
  EXPECT_EQ(one_of_two.on(placement_event::polled), "give 1 x1 interleaved lifeline");
}

TEST_F(hybrid, who_has_tasks_that_spawn_none_keeps_what_is_done_before_it_could_be_back) {
  one_of_two.view.mean_task = 10'000;
  one_of_two.view.leaves = true;  // 2 (8 us + 2 us) / 10 us: 2 tasks
  one_of_two.view.flexible = 3;
  EXPECT_EQ(one_of_two.asked(1, 9), "give 1 x1 #9 interleaved asked");
  one_of_two.view.flexible = 2;
  EXPECT_EQ(one_of_two.asked(1, 9), "refuse 1 #9 asked");
  one_of_two.let_time_pass();  // rule c: it expires
  EXPECT_EQ(one_of_two.asked(1, 9), "give 1 x1 #9 interleaved asked");
}

// Rule a.
TEST_F(hybrid, a_lifeline_is_remembered_until_it_is_served_once) {
  one_of_16.view.flexible = 0;
  one_of_16.view.idle = 1;
  EXPECT_EQ(one_of_16.on(placement_event::wanted, 1), "");
  EXPECT_EQ(one_of_16.on(placement_event::wanted, 1), "");
  EXPECT_TRUE(one_of_16.interest().everything);
  one_of_16.view.flexible = 9;
  EXPECT_EQ(one_of_16.on(placement_event::polled), "give 1 x4 interleaved lifeline");
  EXPECT_EQ(one_of_16.on(placement_event::polled), "");
  EXPECT_FALSE(one_of_16.interest().everything);
}

// Rule b, and dealing.
TEST_F(hybrid, who_waits_is_served_whatever_happens) {
  for (const auto what : {placement_event::starved, placement_event::spawned, placement_event::began,
                          placement_event::ended, placement_event::polled}) {
    policy_host host(placement_policy::hybrid, {.here = 0, .places = 16});
    host.on(placement_event::wanted, 1);
    host.view.flexible = 3;
    EXPECT_TRUE(host.on(what).starts_with("give 1 x1 interleaved lifeline")) << what;
  }
  one_of_16.view.flexible = 0;
  one_of_16.on(placement_event::wanted, 1);
  one_of_16.view.flexible = 3;
  EXPECT_EQ(one_of_16.arrived(3, move_cause::lifeline), "give 1 x1 interleaved lifeline");
}

TEST_F(hybrid, who_waits_longest_is_served_first_and_each_gets_half_of_the_rest) {
  one_of_16.view.flexible = 0;
  for (const int p : {5, 4, 13}) one_of_16.on(placement_event::wanted, p);
  one_of_16.view.flexible = 8;
  EXPECT_EQ(one_of_16.on(placement_event::polled),
            "give 5 x4 interleaved lifeline, give 4 x2 interleaved lifeline, give 13 x1 interleaved lifeline");
}

// Rule d.
TEST_F(hybrid, loot_by_a_lifeline_makes_that_one_usable_again) {
  one_of_16.view.flexible = 0;
  one_of_16.view.idle = 1;
  one_of_16.on(placement_event::starved);
  one_of_16.refused(5, 1);
  one_of_16.arrived(12, move_cause::lifeline);
  one_of_16.on(placement_event::starved);
  EXPECT_EQ(one_of_16.refused(5, 2), "lifeline 12");
}

// Rule e.
TEST_F(hybrid, a_busy_place_asks_on_behalf_of_who_waits_when_what_runs_is_old) {
  one_of_16.view.flexible = 0;
  one_of_16.policy().reset();
  EXPECT_EQ(one_of_16.on(placement_event::wanted, 1), "");
  EXPECT_EQ(one_of_16.interest().poll_at, one_of_16.view.youngest_began + 2 * one_of_16.view.rtt);
  one_of_16.view.now = one_of_16.interest().poll_at;
  EXPECT_EQ(one_of_16.on(placement_event::polled), "lifeline 3, lifeline 12");
  EXPECT_EQ(one_of_16.on(placement_event::polled), "");
  EXPECT_EQ(one_of_16.interest().poll_at, tactus::detail::k_never);  // rule g
}

// Rule h.
TEST_F(hybrid, who_was_to_get_tasks_that_were_gone_waits_on_or_is_refused) {
  one_of_16.on(placement_event::wanted, 5);
  one_of_16.on({.what = placement_event::gave_nothing, .why = move_cause::lifeline, .from = 5});
  EXPECT_EQ(one_of_16.on(placement_event::polled), "give 5 x5 interleaved lifeline");
  EXPECT_EQ(one_of_16.on({.what = placement_event::gave_nothing, .why = move_cause::asked, .from = 7, .nonce = 3}),
            "refuse 7 #3 asked");
}

// As a machine of another kind does, which reads no closures of this one.
TEST_F(hybrid, who_may_get_nothing_of_what_waits_is_served_after_the_others_and_not_tried_without_end) {
  one_of_16.view.flexible = 1;
  one_of_16.view.last_taken = 0;  // so that this one is spare
  const placement_event in_vain{.what = placement_event::gave_nothing, .why = move_cause::lifeline, .from = 5, .n = 1};
  EXPECT_EQ(one_of_16.on(placement_event::wanted, 5), "give 5 x1 interleaved lifeline");
  one_of_16.on(in_vain);
  EXPECT_EQ(one_of_16.interest().poll_at, one_of_16.view.now);  // a task may have come meanwhile
  EXPECT_EQ(one_of_16.on(placement_event::polled), "give 5 x1 interleaved lifeline");
  one_of_16.on(in_vain);
  EXPECT_EQ(one_of_16.interest().poll_at, tactus::detail::k_never);
  EXPECT_TRUE(one_of_16.interest().everything);
  EXPECT_EQ(one_of_16.on(placement_event::began), "give 5 x1 interleaved lifeline, ask 6 #1");
  one_of_16.on(in_vain);
  EXPECT_EQ(one_of_16.interest().poll_at, one_of_16.view.now);
  EXPECT_EQ(one_of_16.on(placement_event::wanted, 6), "give 5 x1 interleaved lifeline");
  one_of_16.on(in_vain);
  EXPECT_EQ(one_of_16.on(placement_event::polled), "give 6 x1 interleaved lifeline");
}

TEST_F(hybrid, without_interleaving_the_older_half_is_given) {
  policy_host older(placement_policy::hybrid, {.places = 2, .tuning = {.interleave = false}});
  older.view.flexible = 9;
  EXPECT_EQ(older.asked(1, 1), "give 1 x4 #1 asked");
}

TEST_F(hybrid, alone_it_asks_nobody_and_wants_to_hear_of_nothing) {
  policy_host alone(placement_policy::hybrid, {});
  alone.view.idle = 1;
  EXPECT_EQ(alone.on(placement_event::starved), "");
  EXPECT_EQ(alone.interest().low, 0U);
}

TEST_F(hybrid, half_of_the_questions_go_to_places_that_are_near) {
  policy_host host(placement_policy::hybrid, {.here = 21, .places = 1000, .near_group = 10});
  host.view.idle = 1;
  host.view.flexible = 1;
  int near = 0;
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    const int victim = host.actions_of({.what = placement_event::starved}).at(0).to;
    ASSERT_NE(victim, 21);
    near += victim / 10 == 2 ? 1 : 0;
    host.arrived(victim, move_cause::asked, i);
  }
  EXPECT_GT(near, 430);
  EXPECT_LT(near, 570);
}

TEST_F(hybrid, the_end_of_a_run_forgets_who_waits_and_what_was_asked) {
  one_of_16.view.idle = 1;
  one_of_16.view.flexible = 0;
  one_of_16.on(placement_event::wanted, 5);
  one_of_16.on(placement_event::starved);
  one_of_16.refused(2, 1);
  one_of_16.policy().reset();
  EXPECT_EQ(one_of_16.policy().text(), "waiting here:; asked:");
}

}  // namespace
