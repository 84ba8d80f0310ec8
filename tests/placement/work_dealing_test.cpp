// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of hybrid-placement.txt, line by line.
#include "placement/starving_places.hpp"

#include <gtest/gtest.h>

#include "placement/policy_host.hpp"

namespace {

using support::move_cause;
using support::placement_event;
using support::policy_host;
using tactus::placement_policy;
using tactus::detail::starving_places;

class work_dealing : public testing::Test {
protected:
  starving_places flags{5};
  policy_host at_1{placement_policy::work_dealing, {.here = 1, .places = 5, .flags = &flags}};
  policy_host at_3{placement_policy::work_dealing, {.here = 3, .places = 5, .flags = &flags}};
};

// Lines 2 to 5; that it is the n-th failure is the host's to count.
TEST_F(work_dealing, a_place_that_starves_raises_its_flag) {
  EXPECT_EQ(at_3.on(placement_event::starved), "");
  EXPECT_TRUE(flags.is_up(3));
  EXPECT_FALSE(flags.is_up(1));
}

// Lines 8 to 16.
TEST_F(work_dealing, a_spawn_goes_to_a_place_whose_flag_is_up_and_takes_it_down) {
  flags.raise(3);
  EXPECT_EQ(at_1.spawned(1), "deal 3");
  EXPECT_FALSE(flags.is_up(3));
  EXPECT_FALSE(flags.any());  // line 12
}

TEST_F(work_dealing, one_task_for_each_flag) {
  flags.raise(3);
  EXPECT_EQ(at_1.spawned(1), "deal 3");
  EXPECT_EQ(at_1.spawned(1), "");
}

// Line 8: !targetNode(p).
TEST_F(work_dealing, a_task_whose_designated_place_starves_itself_stays) {
  flags.raise(1);
  flags.raise(3);
  EXPECT_EQ(at_1.spawned(1), "");
  EXPECT_TRUE(flags.is_up(3));
  EXPECT_TRUE(flags.is_up(1));
  EXPECT_EQ(at_3.spawned(1), "");  // whoever spawns it
}

// Lines 20 to 22.
TEST_F(work_dealing, without_a_flag_a_task_goes_where_it_is_designated_to) { EXPECT_EQ(at_1.spawned(1), ""); }

// Line 9, but for where it begins.
TEST_F(work_dealing, the_scan_begins_behind_the_place_that_was_served_last) {
  for (const int p : {0, 2, 3, 4}) flags.raise(p);
  EXPECT_EQ(at_1.spawned(1), "deal 2");
  flags.raise(2);
  EXPECT_EQ(at_1.spawned(1), "deal 3");
  EXPECT_EQ(at_1.spawned(1), "deal 4");
  EXPECT_EQ(at_1.spawned(1), "deal 0");
  EXPECT_EQ(at_1.spawned(1), "deal 2");
}

TEST_F(work_dealing, the_scan_passes_over_the_designated_place_of_the_task) {
  flags.raise(2);
  EXPECT_EQ(at_1.spawned(3), "deal 2");
  flags.raise(1);
  EXPECT_EQ(at_1.spawned(3), "deal 1");  // it stays where it was spawned, which starves
}

TEST_F(work_dealing, of_two_that_spawn_one_gets_the_flag) {
  flags.raise(4);
  EXPECT_EQ(at_1.spawned(1), "deal 4");
  EXPECT_EQ(at_3.spawned(3), "");
}

TEST_F(work_dealing, a_flag_comes_down_when_work_arrives_or_a_task_is_found_after_all) {
  flags.raise(3);
  at_3.arrived(0, move_cause::dealt);
  EXPECT_FALSE(flags.is_up(3));
  flags.raise(3);
  at_3.on(placement_event::began);
  EXPECT_FALSE(flags.is_up(3));
}

TEST_F(work_dealing, queued_tasks_are_never_given) {
  at_1.view.flexible = 100;
  EXPECT_EQ(at_1.asked(3, 7), "refuse 3 #7 asked");
  EXPECT_EQ(at_1.on(placement_event::wanted, 3), "");
  EXPECT_EQ(at_1.on(placement_event::ended), "");
}

TEST_F(work_dealing, the_end_of_a_run_takes_all_flags_down) {
  flags.raise(3);
  at_1.policy().reset();
  EXPECT_FALSE(flags.any());
}

TEST_F(work_dealing, alone_it_says_nothing) {
  policy_host alone(placement_policy::work_dealing, {});
  EXPECT_EQ(alone.on(placement_event::starved), "");
  EXPECT_EQ(alone.spawned(0), "");
}

TEST(work_dealing_over_processes, who_starves_tells_all_and_tells_them_when_it_starves_no_longer) {
  policy_host at_0(placement_policy::work_dealing, {.here = 0, .places = 4});
  EXPECT_EQ(at_0.on(placement_event::starved), "flag 1, flag 2, flag 3");
  EXPECT_EQ(at_0.on(placement_event::starved), "");  // they know
  EXPECT_EQ(at_0.arrived(2, move_cause::dealt), "unflag 1, unflag 2, unflag 3");
}

TEST(work_dealing_over_processes, what_others_tell_counts_as_their_flags) {
  policy_host at_0(placement_policy::work_dealing, {.here = 0, .places = 4});
  at_0.on(placement_event::flagged, 2);
  at_0.on(placement_event::flagged, 3);
  at_0.on(placement_event::unflagged, 2);
  EXPECT_EQ(at_0.spawned(0), "deal 3");
  EXPECT_EQ(at_0.spawned(0), "");
}

// Of co-workers one spawns a task for another place while the others starve.
TEST(work_dealing_over_processes, who_keeps_a_task_since_it_starves_itself_tells_all_that_it_starves_no_longer) {
  policy_host at_0(placement_policy::work_dealing, {.here = 0, .places = 4, .workers = 2});
  EXPECT_EQ(at_0.on(placement_event::starved), "flag 1, flag 2, flag 3");
  EXPECT_EQ(at_0.spawned(2), "unflag 1, unflag 2, unflag 3, deal 0");
  EXPECT_EQ(at_0.on(placement_event::began), "");  // they know
  EXPECT_EQ(at_0.on(placement_event::starved), "flag 1, flag 2, flag 3");
  EXPECT_EQ(at_0.spawned(0), "");  // it is queued, and whoever takes it says so
  EXPECT_EQ(at_0.on(placement_event::began), "unflag 1, unflag 2, unflag 3");
}

TEST(work_dealing_over_processes, of_very_many_places_some_are_told_and_the_same_ones_again) {
  policy_host at_0(placement_policy::work_dealing, {.here = 0, .places = 1000});
  const auto raised = at_0.actions_of({.what = placement_event::starved});
  const auto lowered = at_0.actions_of({.what = placement_event::began});
  ASSERT_EQ(raised.size(), 5U + 4U);  // lifelines, and at random
  ASSERT_EQ(raised.size(), lowered.size());
  for (std::size_t i = 0; i < raised.size(); ++i) EXPECT_EQ(raised[i].to, lowered[i].to);
}

TEST(starving_places, the_next_one_is_found_wherever_the_search_begins) {
  for (const int places : {1, 5, 64, 65, 128, 200}) {
    starving_places flags(places);
    for (int up = 0; up < places; ++up) {
      flags.raise(up);
      for (int after = 0; after < places; ++after) {
        ASSERT_EQ(flags.next(after, -1), up) << "of " << places << " behind " << after;
        ASSERT_EQ(flags.next(after, up), -1);
      }
      flags.take_down(up);
    }
    EXPECT_EQ(flags.next(0, -1), -1);
  }
}

TEST(starving_places, of_several_the_next_one_is_found) {
  starving_places flags(200);
  flags.raise(70);
  flags.raise(199);
  EXPECT_EQ(flags.next(3, -1), 70);
  EXPECT_EQ(flags.next(70, -1), 199);
  EXPECT_EQ(flags.next(199, -1), 70);
  EXPECT_EQ(flags.next(70, 199), 70);
  flags.take_down(70);
  EXPECT_EQ(flags.next(199, 199), -1);
}

}  // namespace
