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

// Cores before places: with no task for each worker the first of them would be offered to others while a worker here idles.
TEST_F(threshold, a_task_that_an_idle_worker_is_about_to_take_stays) {
  policy_host none_waits(placement_policy::sender_threshold, {.places = 2, .workers = 2, .tuning = {.threshold = 0}});
  none_waits.view.idle = 2;
  none_waits.view.flexible = 2;
  EXPECT_EQ(none_waits.spawned(0), "");
  none_waits.view.flexible = 3;
  EXPECT_EQ(none_waits.spawned(0), "hold #1, ask_load 1 #1");
}

TEST_F(threshold, whoever_gets_a_task_keeps_it_however_many_wait_by_then) {
  host.view.flexible = 50;
  EXPECT_EQ(host.arrived(1, move_cause::dealt), "");
  EXPECT_EQ(host.on(placement_event::ended), "");
  EXPECT_EQ(host.asked(1, 3), "refuse 1 #3 asked");
}

TEST_F(threshold, what_is_to_go_elsewhere_is_no_burden) {
  host.view.flexible = 50;
  EXPECT_EQ(host.spawned(1), "");
}

// Of places 0 to 2 at 0.
class random_stealing : public testing::Test {
protected:
  policy_host host{placement_policy::random_stealing, {.here = 0, .places = 3}};
  void SetUp() override { host.view.idle = 1; }
};

TEST_F(random_stealing, who_starves_asks_until_as_many_have_refused_as_there_are_others_and_then_rests) {
  EXPECT_TRUE(host.on(placement_event::starved).starts_with("ask "));
  EXPECT_TRUE(host.refused(1, 1).starts_with("ask "));
  EXPECT_EQ(host.refused(1, 2), "");
  EXPECT_EQ(host.on(placement_event::starved), "");
  EXPECT_EQ(host.interest().poll_at, host.view.now + 1'000'000);
}

TEST_F(random_stealing, asks_again_after_a_millisecond) {
  host.on(placement_event::starved);
  host.refused(1, 1);
  host.refused(1, 2);
  host.view.now += 999'999;
  EXPECT_EQ(host.on(placement_event::polled), "");
  ++host.view.now;
  EXPECT_TRUE(host.on(placement_event::polled).starts_with("ask "));
  EXPECT_EQ(host.interest().poll_at, tactus::detail::k_never);
}

TEST_F(random_stealing, asks_no_more_when_nobody_idles) {
  host.on(placement_event::starved);
  host.view.idle = 0;
  EXPECT_EQ(host.refused(1, 1), "");
  EXPECT_EQ(host.interest().poll_at, tactus::detail::k_never);
}

TEST_F(random_stealing, a_give_that_found_nothing_is_a_refusal) {
  EXPECT_EQ(host.on({.what = placement_event::gave_nothing, .why = move_cause::asked, .from = 2, .nonce = 4}),
            "refuse 2 #4 asked");
}

// They were not woken for the task that came, and have said before that they starve.
TEST_F(random_stealing, asks_on_for_workers_that_idle_when_fewer_tasks_come) {
  host.view.idle = 2;
  host.view.flexible = 1;
  EXPECT_TRUE(host.arrived(1, move_cause::asked).starts_with("ask "));
  host.view.flexible = 2;
  EXPECT_EQ(host.arrived(1, move_cause::asked, 1), "");
}

TEST_F(random_stealing, gives_the_older_half_but_one_and_what_idle_workers_take) {
  host.view.idle = 0;
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

// Who asks, of places 0 to 3 at 0, with one worker, who does 1000 tasks in a second.
class proportional : public testing::Test {
protected:
  policy_host host{placement_policy::proportional, {.here = 0, .places = 4}};
  void SetUp() override { host.view.idle = 1; }

  int asks(const placement_event& e) {
    const auto actions = host.actions_of(e);
    return actions.size() == 1 && actions[0].what == placement_action::ask ? actions[0].to : -1;
  }
  static placement_event no(int from, std::uint32_t nonce) {
    return {.what = placement_event::refused, .why = move_cause::asked, .from = from, .nonce = nonce};
  }
  int all_refuse() {
    int last = asks({.what = placement_event::starved});
    last = asks(no(last, 1));
    return asks(no(last, 2));
  }
  // That place 1 asks, who has one worker too, and it idles.
  std::string asked_with(place_load load) {
    return host.on({.what = placement_event::asked, .why = move_cause::asked, .from = 1, .nonce = 1, .load = load});
  }
};

TEST_F(proportional, who_starves_asks_each_other_place_once_and_is_silent_when_all_have_refused) {
  const int first = asks({.what = placement_event::starved});
  EXPECT_EQ(host.on(placement_event::starved), "");  // one question at a time
  const int second = asks(no(first, 1));
  const int third = asks(no(second, 2));
  EXPECT_EQ(first + second + third, 1 + 2 + 3);
  EXPECT_EQ(first * second * third, 1 * 2 * 3);
  EXPECT_EQ(host.on(no(third, 3)), "");
  EXPECT_EQ(host.on(placement_event::starved), "");
  host.let_time_pass();
  EXPECT_EQ(host.on(placement_event::polled), "");
  EXPECT_EQ(host.interest().poll_at, tactus::detail::k_never);
}

TEST_F(proportional, a_place_that_has_nothing_any_more_asks_once_again_those_that_remember_it_otherwise) {
  policy_host of_two(placement_policy::proportional, {.here = 0, .places = 2, .workers = 8});
  of_two.view.idle = 1;  // seven work on
  EXPECT_EQ(of_two.actions_of({.what = placement_event::starved}).size(), 1U);
  EXPECT_EQ(of_two.on(no(1, 1)), "");
  EXPECT_EQ(of_two.on(placement_event::starved), "");
  of_two.view.idle = 8;
  EXPECT_EQ(of_two.actions_of({.what = placement_event::starved}).size(), 1U);
  EXPECT_EQ(of_two.on(no(1, 2)), "");
  EXPECT_EQ(of_two.on(placement_event::starved), "");
}

TEST_F(proportional, who_is_told_of_tasks_asks_for_them) {
  host.on(no(all_refuse(), 3));
  EXPECT_EQ(host.on(told(2, 0, {.surplus = 4})), "ask 2 #4");
  EXPECT_EQ(host.on(no(2, 4)), "");  // it remembers again
  EXPECT_EQ(host.on(placement_event::starved), "");
}

TEST_F(proportional, who_is_told_while_nobody_idles_asks_when_a_worker_starves) {
  host.on(no(all_refuse(), 3));
  host.view.idle = 0;
  EXPECT_EQ(host.on(told(3, 0, {.surplus = 4})), "");
  host.view.idle = 1;
  EXPECT_EQ(host.on(placement_event::starved), "ask 3 #4");
}

TEST_F(proportional, who_is_told_while_it_asks_goes_there_next) {
  const int first = asks({.what = placement_event::starved});
  const int other = first == 3 ? 1 : 3;
  EXPECT_EQ(host.on(told(other, 0, {.surplus = 4})), "");
  EXPECT_EQ(asks(no(first, 1)), other);
}

// Messages do not keep their order: who was to remember has forgotten meanwhile.
TEST_F(proportional, a_refusal_that_is_overtaken_by_news_of_tasks_is_asked_about_again) {
  const int last = all_refuse();
  EXPECT_EQ(host.on(told(last, 0, {.surplus = 4})), "");
  EXPECT_EQ(asks(no(last, 3)), last);
}

TEST_F(proportional, who_has_given_does_not_remember_and_is_asked_again) {
  const int last = all_refuse();
  host.view.idle = 0;
  host.view.flexible = 1;
  host.arrived(last, move_cause::asked, 3);
  host.view.idle = 1;
  host.view.flexible = 0;
  EXPECT_EQ(asks({.what = placement_event::starved}), last);
}

TEST_F(proportional, asks_on_for_workers_that_idle_when_fewer_tasks_come) {
  host.view.idle = 2;
  const int first = asks({.what = placement_event::starved});
  host.view.flexible = 1;
  EXPECT_TRUE(host.arrived(first, move_cause::asked, 1).starts_with("ask "));
}

TEST_F(proportional, tells_its_own_load_when_it_asks) {
  host.view.sensitive = 3;
  const auto actions = host.actions_of({.what = placement_event::starved});
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions[0].load, (place_load{3, 1, 1000}));
}

TEST_F(proportional, who_is_asked_shares_in_the_ratio_of_speeds) {
  host.view.idle = 0;
  host.view.flexible = 11;  // and one runs
  EXPECT_EQ(asked_with({.idle = 1, .speed = 1000}), "give 1 x6 #1 asked");
  EXPECT_EQ(asked_with({.idle = 1, .speed = 500}), "give 1 x4 #1 asked");
  EXPECT_EQ(asked_with({.idle = 1, .speed = 3000}), "give 1 x9 #1 asked");
  EXPECT_EQ(asked_with({.surplus = 8, .idle = 1, .speed = 1000}), "give 1 x2 #1 asked");
  EXPECT_EQ(asked_with({.surplus = 11, .idle = 1, .speed = 1000}), "refuse 1 #1 asked");
  host.view.flexible = 2;
  host.view.sensitive = 10;
  EXPECT_EQ(asked_with({.idle = 1, .speed = 1000}), "give 1 x2 #1 asked");  // no more may leave
}

// k is 1 only if the task that runs is counted.
TEST_F(proportional, what_waits_behind_one_that_runs_goes_to_who_idles) {
  host.view.idle = 0;
  host.view.flexible = 1;
  EXPECT_EQ(asked_with({.idle = 1, .speed = 1000}), "give 1 x1 #1 asked");
  EXPECT_EQ(asked_with({.idle = 0, .speed = 1000}), "refuse 1 #1 asked");
}

// Cores before places.
TEST_F(proportional, what_idle_workers_are_about_to_take_stays) {
  policy_host of_two(placement_policy::proportional, {.places = 3, .workers = 2});
  of_two.view.idle = 2;
  of_two.view.flexible = 2;
  const placement_event ask{
      .what = placement_event::asked, .why = move_cause::asked, .from = 1, .nonce = 1, .load = {0, 2, 2000}};
  EXPECT_EQ(of_two.on(ask), "refuse 1 #1 asked");
  of_two.view.flexible = 3;
  EXPECT_EQ(of_two.on(ask), "give 1 x1 #1 asked");
}

TEST_F(proportional, who_was_refused_is_told_once_when_there_is_something_for_it) {
  host.view.idle = 0;
  EXPECT_FALSE(host.interest().everything);
  EXPECT_EQ(asked_with({.idle = 1, .speed = 1000}), "refuse 1 #1 asked");
  EXPECT_TRUE(host.interest().everything);
  EXPECT_EQ(host.on(placement_event::ended), "");
  host.view.flexible = 1;
  EXPECT_EQ(host.spawned(0), "tell_load 1");
  EXPECT_EQ(host.spawned(0), "");
  EXPECT_FALSE(host.interest().everything);
}

TEST_F(proportional, as_many_are_told_as_there_is_something_for) {
  host.view.idle = 0;
  for (const int from : {3, 1, 2}) {
    host.on({.what = placement_event::asked, .why = move_cause::asked, .from = from, .load = {0, 1, 1000}});
  }
  host.view.flexible = 2;  // one of them for the first, and then there is one less
  EXPECT_EQ(host.on(placement_event::polled), "tell_load 3, tell_load 1");
}

TEST_F(proportional, a_give_that_found_nothing_is_a_refusal_and_remembered) {
  const placement_event nothing{.what = placement_event::gave_nothing, .why = move_cause::asked, .from = 2, .nonce = 4};
  host.view.idle = 0;
  EXPECT_EQ(host.on(nothing), "refuse 2 #4 asked");
  host.view.flexible = 1;
  EXPECT_EQ(host.on(placement_event::began), "tell_load 2");
}

// Else the two would go on for ever.
TEST_F(proportional, of_tasks_that_may_not_go_there_a_place_is_not_told_until_something_happens) {
  host.view.idle = 0;
  host.view.flexible = 5;
  host.on({.what = placement_event::gave_nothing, .why = move_cause::asked, .from = 2, .nonce = 4, .n = 5});
  EXPECT_EQ(host.on(placement_event::polled), "");
  EXPECT_EQ(host.on(placement_event::ended), "tell_load 2");
}

TEST_F(proportional, the_end_of_a_run_forgets_who_asked_and_who_was_asked) {
  host.on(no(all_refuse(), 3));
  asked_with({.surplus = 9, .idle = 1, .speed = 1000});
  host.policy().reset();
  EXPECT_FALSE(host.interest().everything);
  EXPECT_TRUE(host.on(placement_event::starved).starts_with("ask "));
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
