// SPDX-License-Identifier: Apache-2.0
// Which of the events that workers have noted belong together, one by one.
#include "support/flows.hpp"
#include "support/temporary.hpp"
#include "trace/timeline.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using support::arrow;
using support::count;
using support::flows;
using support::temporary_folder;
using event_kind = tactus::detail::trace_event::kind;

class links_test : public testing::Test {
protected:
  // The arrows of a timeline of three workers in which `note` has noted what it likes.
  template <class Note>
  std::vector<arrow> arrows_after(Note note) {
    const std::string file = folder_ / ("timeline" + std::to_string(++files_) + ".json");
    {
      tactus::detail::timeline whole(file, {0, 0, 0});
      note(whole);
    }
    return flows(json::parse(support::contents_of(file))).arrows();
  }

  temporary_folder folder_;
  int files_ = 0;
};

constexpr std::size_t k_flood = tactus::detail::timeline_part::k_room;

void flood(tactus::detail::timeline& whole, std::size_t worker) {
  for (std::size_t i = 0; i < k_flood; ++i) whole.at(worker).note(event_kind::steal, 1, "");
}

TEST_F(links_test, a_spawn_whose_begin_or_slice_is_lost_has_no_arrow) {
  const auto spawns_after = [&](int lost_on) {
    return arrows_after([&](auto& whole) {
      whole.at(0).note(event_kind::begin, 1, "parent");
      if (lost_on == 0) flood(whole, 0);
      whole.at(0).note(event_kind::spawn, 2, "");
      whole.at(1).note(event_kind::begin, 2, "child");
      if (lost_on == 1) flood(whole, 1);
    });
  };
  EXPECT_EQ(count(spawns_after(2), "spawn", "parent", "child"), 1u);
  EXPECT_EQ(spawns_after(0).size(), 0u);
  EXPECT_EQ(spawns_after(1).size(), 0u);
}

TEST_F(links_test, a_spawn_that_failed_has_no_arrow) {
  EXPECT_EQ(arrows_after([](auto& whole) {
              whole.at(0).note(event_kind::begin, 1, "parent");
              whole.at(0).note(event_kind::spawn, 2, "");
              whole.at(0).note(event_kind::spawn, 3, "");
              whole.at(0).note(event_kind::end, 1, "parent");
              whole.at(0).note(event_kind::begin, 3, "child");
            }).size(),
            1u);
}

TEST_F(links_test, a_task_that_is_woken_between_others_is_so_by_the_last_one) {
  const auto arrows = arrows_after([](auto& whole) {
    whole.at(0).note(event_kind::begin, 1, "waiter");
    whole.at(0).note(event_kind::stop, 1, "something");
    whole.at(1).note(event_kind::begin, 2, "waker");
    whole.at(1).note(event_kind::end, 2, "waker");
    whole.at(1).note(event_kind::wake, 1, "");
    whole.at(1).note(event_kind::begin, 3, "next");
    whole.at(2).note(event_kind::go_on, 1, "waiter");
  });
  ASSERT_EQ(arrows.size(), 1u);
  EXPECT_EQ(count(arrows, "wake", "waker", "waiter"), 1u);
  EXPECT_EQ(arrows.front().begin, arrows.front().from.end);
}

TEST_F(links_test, a_task_that_finds_that_it_need_not_wait_wakes_itself_without_an_arrow) {
  EXPECT_EQ(arrows_after([](auto& whole) {
              whole.at(0).note(event_kind::begin, 1, "waiter");
              whole.at(0).note(event_kind::stop, 1, "something");
              whole.at(0).note(event_kind::wake, 1, "");
              whole.at(0).note(event_kind::go_on, 1, "waiter");
            }).size(),
            0u);
}

TEST_F(links_test, the_turn_of_a_phase_leads_to_those_who_waited_at_that_barrier) {
  const auto arrows = arrows_after([](auto& whole) {
    for (std::uint64_t i = 1; i <= 3; ++i) {
      whole.at(0).note(event_kind::begin, i, "member");
      whole.at(0).note(event_kind::stop, i, "a clock", i == 3 ? 8 : 7);
    }
    whole.at(1).note(event_kind::begin, 4, "last of 8");
    whole.at(1).note(event_kind::phase, 0, "clock", 8);
    whole.at(1).note(event_kind::end, 4, "last of 8");
    whole.at(1).note(event_kind::begin, 5, "last of 7");
    whole.at(1).note(event_kind::phase, 0, "clock", 7);
    whole.at(1).note(event_kind::phase, 1, "clock", 8);  // after the one that 3 waited for
    for (std::uint64_t i = 1; i <= 3; ++i) whole.at(2).note(event_kind::go_on, i, "member");
  });
  EXPECT_EQ(arrows.size(), 3u);
  EXPECT_EQ(count(arrows, "wake", "last of 7", "member"), 2u);
  EXPECT_EQ(count(arrows, "wake", "last of 8", "member"), 1u);
}

TEST_F(links_test, a_wait_at_a_barrier_that_did_not_turn_meanwhile_ended_without_it) {
  const auto arrows_with_turn_of = [&](std::uint32_t meanwhile, std::uint32_t afterwards) {
    return arrows_after([&](auto& whole) {
      whole.at(0).note(event_kind::begin, 1, "member of 7");
      whole.at(0).note(event_kind::stop, 1, "a clock", 7);
      whole.at(1).note(event_kind::begin, 2, "another one");
      whole.at(1).note(event_kind::phase, 0, "clock", meanwhile);
      whole.at(0).note(event_kind::go_on, 1, "member of 7");
      whole.at(1).note(event_kind::phase, 0, "clock", afterwards);
    });
  };
  EXPECT_EQ(arrows_with_turn_of(7, 8).size(), 1u);
  EXPECT_EQ(arrows_with_turn_of(8, 7).size(), 0u);
  EXPECT_EQ(arrows_with_turn_of(8, 9).size(), 0u);
}

TEST_F(links_test, a_wait_for_something_else_has_nothing_to_do_with_a_turn) {
  EXPECT_EQ(arrows_after([](auto& whole) {
              whole.at(0).note(event_kind::begin, 1, "waiter");
              whole.at(0).note(event_kind::stop, 1, "something");
              whole.at(1).note(event_kind::begin, 2, "member");
              whole.at(1).note(event_kind::phase, 0, "clock", 7);
              whole.at(0).note(event_kind::go_on, 1, "waiter");
            }).size(),
            0u);
}

}  // namespace
