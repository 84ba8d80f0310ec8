// SPDX-License-Identifier: Apache-2.0
// place, place_group, here, places: values.
#include "place_settings.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace {
namespace ts = tactus;

TEST(place_test, is_a_number_that_can_be_compared_and_hashed_anywhere) {
  const ts::place first;
  EXPECT_EQ(first.id(), 0);
  EXPECT_EQ(first, ts::place());
  EXPECT_EQ(ts::to_string(first), "place 0");
  EXPECT_EQ(std::unordered_set<ts::place>({first, ts::place()}).size(), 1u);
}

TEST(place_test, of_a_number_that_there_is_not_is_refused) {
  ts::run(ts::config{.threads = 1, .places = 3, .env = false}, [] {
    EXPECT_EQ(ts::place(2).id(), 2);
    for (const int none : {-1, 3, 1000}) {
      try {
        static_cast<void>(ts::place(none));
        ADD_FAILURE() << none;
      } catch (const ts::place_error& e) {
        EXPECT_NE(std::string(e.what()).find("no place " + std::to_string(none)), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("0 to 2"), std::string::npos) << e.what();
      }
    }
  });
}

TEST(place_test, next_and_prev_wrap_around) {
  ts::run(ts::config{.threads = 1, .places = 3, .env = false}, [] {
    EXPECT_EQ(ts::place(2).next(), ts::place(0));
    EXPECT_EQ(ts::place(0).prev(), ts::place(2));
    EXPECT_EQ(ts::place(1).next().prev(), ts::place(1));
    EXPECT_LT(ts::place(1), ts::place(2));
  });
}

TEST(place_test, places_are_all_there_are_in_order) {
  ts::run(ts::config{.threads = 2, .places = 4, .env = false}, [] {
    EXPECT_EQ(ts::num_places(), 4);
    EXPECT_EQ(ts::here(), ts::place(0));
    EXPECT_EQ(ts::num_workers(), 2);
    const ts::place_group all = ts::places();
    ASSERT_EQ(all.size(), 4u);
    int expected = 0;
    for (const ts::place p : all) {
      EXPECT_EQ(p.id(), expected++);
    }
    EXPECT_EQ(all, ts::place_group(all.begin(), all.end()));
    EXPECT_EQ(all[3], ts::place(3));
    static_assert(std::ranges::random_access_range<ts::place_group>);
  });
}

TEST(place_test, iterators_of_equal_groups_go_together) {
  ts::run(ts::config{.threads = 1, .places = 3, .env = false}, [] {
    int sum = 0;
    for (auto at = ts::places().begin(); at != ts::places().end(); ++at) {
      sum += 1 + (*at).id();
    }
    EXPECT_EQ(sum, 6);
    const auto kept = ts::place_group{ts::place(2), ts::place(0), ts::place(1)}.begin();  // of a group that has gone
    EXPECT_EQ(*kept, ts::place(2));
    EXPECT_EQ(kept[2], ts::place(1));
    EXPECT_NE(kept, ts::places().begin());  // of other places
    EXPECT_EQ(std::vector<ts::place>(ts::places().begin(), ts::places().end()).size(), 3U);
    const ts::place_group all = ts::places();
    EXPECT_EQ(std::find(all.begin(), all.end(), ts::place(1)) - all.begin(), 1);
    EXPECT_EQ(std::lower_bound(all.begin(), all.end(), ts::place(2)), all.end() - 1);
    EXPECT_EQ(ts::place_group().begin(), ts::place_group().end());
    EXPECT_EQ(ts::place_group(), ts::place_group(all.begin(), all.begin()));
    const ts::place_group there = ts::at(ts::place(1), [](const ts::place_group& g) { return g; }, all);
    EXPECT_EQ(there, all);
    EXPECT_EQ(ts::at(ts::place(1), [](const ts::place_group& g) { return g; }, ts::place_group()), ts::place_group());
  });
}

TEST(place_test, outside_of_tasks_says_which_call_is_misused) {
  const auto text_of = [](auto call) {
    try {
      call();
    } catch (const ts::usage_error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(text_of([] { static_cast<void>(ts::here()); }).find("tactus::here"), std::string::npos);
  EXPECT_NE(text_of([] { static_cast<void>(ts::places()); }).find("tactus::places"), std::string::npos);
  EXPECT_NE(text_of([] { static_cast<void>(ts::place(0)); }).find("tactus::place"), std::string::npos);
}

}  // namespace
