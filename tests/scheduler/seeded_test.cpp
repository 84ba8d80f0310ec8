// SPDX-License-Identifier: Apache-2.0
// The seeded scheduler: virtual workers on one thread, an interleaving for each seed, the same one every time.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

namespace ts = tactus;

namespace {

ts::config seeded(std::uint64_t seed, int workers, ts::spawn_policy policy = ts::spawn_policy::adaptive) {
  return ts::config{.threads = workers, .policy = policy, .seed = seed, .env = false};
}

// Four tasks of three steps each; the order of the steps is the interleaving. No lock: there is one thread.
std::string interleaving(ts::runtime& rt) {
  std::string order;
  rt.run([&] {
    for (const char name : {'a', 'b', 'c', 'd'}) {
      ts::async([&order, name] {
        for (int i = 0; i < 3; ++i) {
          order += name;
          ts::yield();
        }
      });
    }
  });
  return order;
}

std::string interleaving(const ts::config& c) {
  ts::runtime rt(c);
  return interleaving(rt);
}

TEST(seeded_test, everything_runs_on_one_thread) {
  std::set<pid_t> threads;
  ts::run(seeded(7, 8), [&] {
    EXPECT_EQ(ts::num_workers(), 8);
    for (int i = 0; i < 200; ++i) {
      ts::async([&] {
        threads.insert(gettid());
        ts::yield();
        threads.insert(gettid());
      });
    }
  });
  EXPECT_EQ(threads.size(), 1u);
}

TEST(seeded_test, a_seed_replays_its_interleaving) {
  for (const auto policy : {ts::spawn_policy::adaptive, ts::spawn_policy::work_first, ts::spawn_policy::help_first}) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const std::string first = interleaving(seeded(seed, 3, policy));
      EXPECT_EQ(interleaving(seeded(seed, 3, policy)), first) << "seed " << seed;
      EXPECT_EQ(first.size(), 12u);
    }
  }
}

TEST(seeded_test, a_seed_replays_its_interleaving_in_every_run_of_a_runtime) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    ts::runtime rt(seeded(seed, 3));
    const std::string first = interleaving(rt);
    for (int run = 2; run <= 4; ++run) ASSERT_EQ(interleaving(rt), first) << "seed " << seed << ", run " << run;
    ASSERT_EQ(interleaving(seeded(seed, 3)), first) << "seed " << seed << ", in a runtime of its own";
  }
}

TEST(seeded_test, a_thousand_seeds_show_many_interleavings) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) seen.insert(interleaving(seeded(seed, 4)));
  EXPECT_GE(seen.size(), 20u);
}

TEST(seeded_test, tasks_run_on_several_virtual_workers) {
  std::set<int> workers;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ts::run(seeded(seed, 4), [&] {
      for (int i = 0; i < 50; ++i) {
        ts::async([&] {
          workers.insert(ts::worker_id());
          ts::yield();
        });
      }
    });
  }
  EXPECT_EQ(workers, (std::set<int>{0, 1, 2, 3}));
}

TEST(seeded_test, sixteen_virtual_workers_get_everything_right) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const int sum = ts::run(seeded(seed, 16), [] {
      const auto f = ts::async_future([] { return ts::reduce(0, 50, 1, std::plus<>{}, [](int i) { return i; }); });
      int done = 0;
      ts::finish([&] {
        for (int i = 0; i < 20; ++i) ts::async([&done] { ++done; });
      });
      return done + f.get();
    });
    EXPECT_EQ(sum, 20 + 1'225) << "seed " << seed;
  }
}

TEST(seeded_test, a_deadlock_is_found_too) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto e = support::caught<ts::deadlock_error>([&] {
      ts::run(seeded(seed, 4), [] {
        ts::promise<void> never;
        ts::finish([&] { ts::async(ts::named("stuck"), [f = never.get_future()] { f.get(); }); });
      });
    });
    ASSERT_TRUE(e) << "seed " << seed;
    EXPECT_TRUE(support::contains(e->what(), "stuck")) << e->what();
  }
}

}  // namespace
