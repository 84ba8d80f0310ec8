// SPDX-License-Identifier: Apache-2.0
// What stats() says of several places in one process.
#include "place_settings.hpp"

#include <cstdint>
#include <vector>

namespace {
namespace ts = tactus;
using place_stats_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, place_stats_test, support::every_place_setting(), support::place_setting_name);

std::uint64_t spawned(const ts::worker_counters& c) {
  return c.spawned_work_first + c.spawned_help_first + c.spawned_shared + c.spawned_invited;
}

std::uint64_t spawned_by_plan(std::size_t place) { return 10 * (place + 1); }

// At each place another number of tasks, so that nobody can be taken for somebody else.
void spawn_by_plan() {
  for (const ts::place p : ts::places()) {
    ts::at(p, [] {
      const auto n = spawned_by_plan(static_cast<std::size_t>(ts::here().id()));
      ts::finish([n] {
        for (std::uint64_t i = 0; i < n; ++i) {
          ts::async([] { ts::yield(); });
        }
      });
    });
  }
}

TEST_P(place_stats_test, each_place_has_its_own_workers_and_their_sum) {
  ts::runtime rt(support::config_of(GetParam()));
  rt.run(spawn_by_plan);
  const ts::runtime_stats s = rt.stats();
  ASSERT_EQ(s.places.size(), static_cast<std::size_t>(GetParam().places));
  for (std::size_t p = 0; p < s.places.size(); ++p) {
    const ts::place_stats& of = s.places[p];
    EXPECT_EQ(of.workers.size(), static_cast<std::size_t>(GetParam().workers)) << p;
    EXPECT_EQ(of.totals, ts::sum_of(of.workers)) << p;
    EXPECT_EQ(spawned(of.totals), spawned_by_plan(p)) << p;
    EXPECT_EQ(of.totals.bodies_for_others, p == 0 ? 0U : 1U) << p;
  }
}

TEST_P(place_stats_test, workers_are_those_of_all_places_by_their_order) {
  ts::runtime rt(support::config_of(GetParam()));
  rt.run(spawn_by_plan);
  const ts::runtime_stats s = rt.stats();
  std::vector<ts::worker_counters> in_order;
  for (const ts::place_stats& of : s.places) {
    in_order.insert(in_order.end(), of.workers.begin(), of.workers.end());
  }
  EXPECT_EQ(s.workers, in_order);
  const auto per_place = static_cast<std::size_t>(GetParam().workers);
  ASSERT_EQ(s.workers.size(), s.places.size() * per_place);
  for (std::size_t p = 0; p < s.places.size(); ++p) {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < per_place; ++w) {
      sum += spawned(s.workers[p * per_place + w]);
    }
    EXPECT_EQ(sum, spawned_by_plan(p)) << p;
  }
}

struct sent {
  std::vector<std::uint64_t> messages;
  std::vector<std::uint64_t> bytes;
};

sent sent_by_each_place() {
  sent all;
  for (const ts::place_stats& p : ts::stats().places) {
    all.messages.push_back(p.messages);
    all.bytes.push_back(p.bytes);
  }
  return all;
}

// A call there, an answer back.
TEST_P(place_stats_test, messages_and_bytes_are_counted_where_they_leave) {
  run([] {
    for (const ts::place to : ts::places()) {
      const sent before = sent_by_each_place();
      ts::at(to, [] {});
      const sent after = sent_by_each_place();
      for (const ts::place p : ts::places()) {
        const auto i = static_cast<std::size_t>(p.id());
        const std::uint64_t expected = to != ts::here() && (p == ts::here() || p == to) ? 1 : 0;
        EXPECT_EQ(after.messages[i] - before.messages[i], expected) << "by " << p.id() << ", to " << to.id();
        EXPECT_EQ(after.bytes[i] > before.bytes[i], expected != 0) << "by " << p.id() << ", to " << to.id();
      }
    }
  });
}

TEST_P(place_stats_test, one_place_sends_no_messages) {
  ts::config one = support::config_of(GetParam());
  one.places = 1;
  ts::runtime rt(one);
  rt.run([] {
    ts::at(ts::here(), [] {});
    ts::at_each(ts::places(), [] {});
    ts::finish([] { ts::async_at(ts::here(), [] {}); });
    EXPECT_EQ(ts::at_future(ts::here(), [] { return 3; }).get(), 3);
    const ts::place_local<int> s(4);
    EXPECT_EQ(*s, 4);
  });
  const ts::runtime_stats s = rt.stats();
  ASSERT_EQ(s.places.size(), 1U);
  EXPECT_EQ(s.places[0].messages, 0U);
  EXPECT_EQ(s.places[0].bytes, 0U);
  EXPECT_EQ(s.places[0].messages_taken, 0U);
  EXPECT_EQ(s.places[0].workers, s.workers);
}

}  // namespace
