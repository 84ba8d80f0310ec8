// SPDX-License-Identifier: Apache-2.0
// A seed over several places: it orders the tasks of all of them and the messages between them, and does so again when asked again.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>

namespace ts = tactus;

namespace {

// Each seed is a runtime of its own, which is slow to make under ThreadSanitizer.
constexpr std::uint64_t k_seeds = support::k_tsan ? 100 : 1000;

// What happens, in the order in which it does: there is one thread.
std::string g_steps;

void step(char what) { g_steps += what; }

ts::config seeded(std::uint64_t seed, int places, int workers) {
  return ts::config{.threads = workers, .places = places, .seed = seed, .env = false};
}

// ---- the order of messages ----

constexpr std::size_t k_messages = 10;  // half of them from either sender

// The messages that places 0 and 1 send to place 2, a to e and A to E, in the order in which it takes them. Whoever searches may take
// messages for a place that computes, and what lies there has an order of its own: so the senders do not search before the end, and the
// receiver has nothing else to do.
std::string order_of_messages(std::uint64_t seed) {
  g_steps.clear();
  ts::run(seeded(seed, 3, 1), [] {
    const auto send_five = [](char first) {
      for (int i = 0; i < 5; ++i) ts::async_at(ts::place(2), step, static_cast<char>(first + i));
      while (g_steps.size() < k_messages) ts::yield();
    };
    ts::async_at(ts::place(1), send_five, 'A');
    send_five('a');
  });
  return g_steps;
}

std::string of_one_sender(const std::string& order, char first) {
  std::string of_it;
  std::copy_if(order.begin(), order.end(), std::back_inserter(of_it),
               [first](char c) { return c >= first && c < first + 5; });
  return of_it;
}

TEST(seeded_places, a_thousand_seeds_show_many_orders_of_messages) {
  std::set<std::string> whole;
  std::set<std::string> from_0;
  std::set<std::string> from_1;
  for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
    const std::string order = order_of_messages(seed);
    ASSERT_EQ(order.size(), k_messages) << "seed " << seed << ": " << order;
    ASSERT_EQ(std::set<char>(order.begin(), order.end()).size(), k_messages) << "seed " << seed << ": " << order;
    whole.insert(order);
    from_0.insert(of_one_sender(order, 'a'));
    from_1.insert(of_one_sender(order, 'A'));
  }
  EXPECT_GE(whole.size(), k_seeds / 2);
  // Of the 120 that there are. Those of different senders meet in many orders anyway.
  EXPECT_GE(from_0.size(), k_seeds / 20);
  EXPECT_GE(from_1.size(), k_seeds / 20);
}

TEST(seeded_places, a_seed_replays_the_order_of_messages) {
  for (std::uint64_t seed = 1; seed <= support::scaled(50); ++seed) {
    const std::string once = order_of_messages(seed);
    ASSERT_EQ(order_of_messages(seed), once) << "seed " << seed;
  }
}

// ---- the order of everything ----

// A tree of tasks that wander: they go to other places, wait there and come back.
void wander(int depth, int name) {
  step(static_cast<char>('a' + name % 26));
  if (depth == 0) return;
  const int places = ts::num_places();
  for (int i = 0; i < 2; ++i) {
    const int next = 3 * name + i + 1;
    ts::async_at(ts::place(next % places), wander, depth - 1, next);
  }
  ts::async([name] {
    ts::yield();
    step(static_cast<char>('A' + name % 26));
  });
  ts::yield();
  const int there = ts::at(ts::here().next(), [] {
    ts::yield();
    step('@');
    return ts::here().id();
  });
  step(static_cast<char>('0' + there));
}

void everything() {
  ts::place_local<int> visits(0);
  ts::finish([] { wander(3, 0); });
  ts::at_each(
      ts::places(),
      [](ts::place_local_ref<int> own) {
        step('[');
        ts::async([own] { ++*own; });
        step(']');
      },
      visits.ref());
  const auto f = ts::at_future(ts::here().prev(), [] { return ts::here().id(); });
  for (int i = 0; i < 4; ++i)
    ts::async_at(ts::place_flexible(ts::here()), [] { step(static_cast<char>('k' + ts::here().id())); });
  step(static_cast<char>('0' + f.get()));
}

std::string order_of_everything(ts::runtime& on) {
  g_steps.clear();
  on.run(everything);
  return g_steps;
}

struct several {
  int places;
  int workers;
  ts::placement_policy placement;
};

class seeded_places_of : public testing::TestWithParam<several> {
protected:
  static ts::config config_of(std::uint64_t seed) {
    ts::config c = seeded(seed, GetParam().places, GetParam().workers);
    c.placement = GetParam().placement;
    return c;
  }
};

INSTANTIATE_TEST_SUITE_P(
    each, seeded_places_of,
    testing::Values(several{2, 1, ts::placement_policy::none}, several{3, 1, ts::placement_policy::random_stealing},
                    several{3, 3, ts::placement_policy::none}, several{4, 2, ts::placement_policy::hybrid},
                    several{8, 1, ts::placement_policy::lifeline}),
    [](const auto& chosen) {
      return std::to_string(chosen.param.places) + "_places_of_" + std::to_string(chosen.param.workers);
    });

TEST_P(seeded_places_of, a_seed_replays_the_order_of_tasks) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= support::scaled(20); ++seed) {
    ts::runtime first(config_of(seed));
    const std::string once = order_of_everything(first);
    ASSERT_EQ(once.size(), 41u + 2u * static_cast<unsigned>(GetParam().places)) << "seed " << seed << ": " << once;
    ASSERT_EQ(order_of_everything(first), once) << "seed " << seed << ", the second run of a runtime";
    ts::runtime another(config_of(seed));
    ASSERT_EQ(order_of_everything(another), once) << "seed " << seed << ", in a runtime of its own";
    seen.insert(once);
  }
  EXPECT_GE(seen.size(), support::scaled(20) / 2) << "orders of twice as many seeds";
}

}  // namespace
