// SPDX-License-Identifier: Apache-2.0
// The objects of a place_local end in tasks of the run, also where the place_local itself ends where nothing may wait.
#include "place_settings.hpp"

#include "../support/caught.hpp"
#include "../support/restricted_spots.hpp"

#include <atomic>
#include <optional>
#include <thread>

namespace {
namespace ts = tactus;
using support::restricted_spot;
using place_ends_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, place_ends_test, support::every_place_setting(), support::place_setting_name);

constexpr restricted_spot k_spots[] = {support::k_blocks[0], support::k_blocks[1], support::k_blocks[2],
                                       support::k_step, support::k_combine};

constexpr int k_most_places = 8;

// By place.
std::atomic<int> g_alive[8];
std::atomic<int> g_ended[8];
std::atomic<int> g_after[8];  // of what the ends have spawned
std::atomic<bool> g_may_end;

void clear() {
  for (int p = 0; p < 8; ++p) {
    g_alive[p] = 0;
    g_ended[p] = 0;
    g_after[p] = 0;
  }
  g_may_end = true;
}

// Its end waits, spawns, and asks where it is: in a task only.
struct traced {
  traced() : made_at(ts::here().id()) { EXPECT_EQ(g_alive[made_at]++, 0) << "the one before has not ended"; }
  ~traced() {
    EXPECT_EQ(ts::here().id(), made_at);
    while (!g_may_end) {
      ts::yield();
    }
    ts::finish([] { ts::async([] { ts::yield(); }); });
    ts::async([] {
      ts::yield();
      ++g_after[ts::here().id()];
    });
    ++g_ended[made_at];
    --g_alive[made_at];
  }
  traced(const traced&) = delete;
  traced& operator=(const traced&) = delete;

  int made_at;
};

// Makes one at the calling task's place, and ends it at the spot.
void make_and_end(const restricted_spot& spot) {
  std::optional<ts::place_local<traced>> s;
  s.emplace();
  const auto name = s->ref();
  spot.carry_out([&] {
    s.reset();
    EXPECT_THROW(static_cast<void>(*name), ts::place_error) << "it is found no more";
  });
}

void make_and_end_numbered(int spot) { make_and_end(k_spots[spot]); }

TEST_P(place_ends_test, each_object_ends_once_in_a_task_of_its_place_and_before_the_run) {
  for (int spot = 0; spot < 5; ++spot) {
    for (const int maker : {0, GetParam().places - 1}) {
      SCOPED_TRACE(k_spots[spot].name);
      clear();
      run([=] { ts::at(ts::place(maker), make_and_end_numbered, spot); });
      for (int p = 0; p < 8; ++p) {
        const int expected = p < GetParam().places ? 1 : 0;
        EXPECT_EQ(g_ended[p], expected) << "place " << p << ", made at " << maker;
        EXPECT_EQ(g_after[p], expected) << "place " << p << ", made at " << maker;
      }
    }
  }
}

// The ends are tasks of the run: what is around the place_local does not wait for them, here until they may go on.
TEST_P(place_ends_test, a_finish_around_it_does_not_wait_for_the_ends) {
  for (const restricted_spot& spot : k_spots) {
    SCOPED_TRACE(spot.name);
    clear();
    run([&spot] {
      ts::finish([&spot] {
        make_and_end(spot);
        g_may_end = false;
      });
      g_may_end = true;
    });
    for (int p = 0; p < GetParam().places; ++p) {
      EXPECT_EQ(g_ended[p], 1) << "place " << p;
    }
  }
}

TEST_P(place_ends_test, the_next_is_made_where_the_one_before_has_ended) {
  for (int spot = 0; spot < 5; ++spot) {
    SCOPED_TRACE(k_spots[spot].name);
    clear();
    run([spot] {
      for (int round = 0; round < 5; ++round) {
        make_and_end(k_spots[spot]);
      }
      for (const ts::place p : ts::places()) {
        ts::at(p, make_and_end_numbered, spot);
      }
    });
    for (int p = 0; p < GetParam().places; ++p) {
      EXPECT_EQ(g_ended[p], 5 + GetParam().places) << "place " << p;
      EXPECT_EQ(g_alive[p], 0) << "place " << p;
    }
  }
}

// ---- outside a task ----

void end_outside(std::optional<ts::place_local<traced>>& s) {
  std::thread([&s] { s.reset(); }).join();
}

void expect_ended_everywhere(int places, int times) {
  for (int p = 0; p < k_most_places; ++p) {
    EXPECT_EQ(g_alive[p], 0) << "place " << p;
    EXPECT_EQ(g_ended[p], p < places ? times : 0) << "place " << p;
  }
}

TEST_P(place_ends_test, one_that_ends_outside_a_task_is_ended_by_tasks_of_the_run) {
  for (int at = 0; at < GetParam().places; ++at) {
    clear();
    run([at] {
      ts::at(ts::place(at), [] {
        std::optional<ts::place_local<traced>> s;
        s.emplace();
        const ts::place_local_ref<traced> r = s->ref();
        end_outside(s);
        EXPECT_TRUE(support::caught<ts::place_error>([r] { static_cast<void>(*r); }));
      });
    });
    for (int p = 0; p < GetParam().places; ++p) {
      EXPECT_EQ(g_ended[p], 1) << "place " << p;
      EXPECT_EQ(g_after[p], 1) << "place " << p;
    }
  }
}

TEST_P(place_ends_test, the_next_is_made_where_that_one_has_ended) {
  clear();
  run([] {
    for (int round = 0; round < 5; ++round) {
      std::optional<ts::place_local<traced>> s;
      s.emplace();  // each of them expects that there is no other
      end_outside(s);
    }
  });
  expect_ended_everywhere(GetParam().places, 5);
}

TEST_P(place_ends_test, one_that_ends_between_two_runs_does_so_in_the_second) {
  clear();
  std::optional<ts::place_local<traced>> s;
  {
    ts::runtime both(support::config_of(GetParam()));
    both.run([&s] { s.emplace(); });
    s.reset();
    for (int p = 0; p < GetParam().places; ++p) {
      EXPECT_EQ(g_alive[p], 1) << "place " << p;
    }
    both.run([] {});
    expect_ended_everywhere(GetParam().places, 1);
  }
}

TEST_P(place_ends_test, one_that_outlives_the_runtime_has_ended_with_that) {
  static std::atomic<int> ended;
  ended = 0;
  struct counts {
    ~counts() { ++ended; }
  };
  std::optional<ts::place_local<counts>> s;
  {
    ts::runtime only(support::config_of(GetParam()));
    only.run([&s] { s.emplace(); });
  }
  EXPECT_EQ(ended, GetParam().places);
  ts::runtime other(support::config_of(GetParam()));
  s.reset();  // of none any more
  other.run([] {});
  EXPECT_EQ(ended, GetParam().places);
}

}  // namespace
