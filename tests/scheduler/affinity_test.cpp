// SPDX-License-Identifier: Apache-2.0
// The attribute affinity: a wish that costs no worker its time.
#include <tactus/tactus.hpp>

#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

class affinity_test : public support::each_setting {};
TACTUS_EACH_SETTING(affinity_test);

TEST_P(affinity_test, every_child_runs_once) {
  std::vector<std::atomic<int>> times(1'000);
  run([&] {
    ts::finish([&] {
      for (std::size_t i = 0; i < times.size(); ++i) ts::async(ts::affinity(i), [&times, i] { ++times[i]; });
    });
    for (const auto& t : times) EXPECT_EQ(t.load(), 1);
  });
}

TEST_P(affinity_test, goes_with_the_other_attributes) {
  std::atomic<int> sum{0};
  run([&] {
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      for (std::size_t i = 0; i < 20; ++i) {
        ts::async(ts::affinity(i), ts::named("child"), ts::clocked(c), [&sum] {
          ++sum;
          ts::advance_all();
          EXPECT_EQ(sum.load(), 20);
        });
      }
    });
    const auto f = ts::async_future(ts::affinity(3), [] { return 5; });
    sum += f.get();
  });
  EXPECT_EQ(sum.load(), 25);
}

TEST_P(affinity_test, children_may_have_children_and_throw) {
  std::atomic<int> sum{0};
  EXPECT_THROW(run([&] {
                 for (std::size_t i = 0; i < 30; ++i) {
                   ts::async(ts::affinity(i), [&sum, i] {
                     for (std::size_t k = 0; k < 30; ++k) ts::async(ts::affinity(i + k), [&sum] { ++sum; });
                     throw 1;
                   });
                 }
               }),
               ts::multiple_exceptions);
  EXPECT_EQ(sum.load(), 900);
}

TEST_P(affinity_test, a_closure_that_cannot_be_copied_leaves_nothing_behind) {
  struct unwilling {
    unwilling() = default;
    unwilling(const unwilling&) { throw 7; }
    void operator()() const { ADD_FAILURE(); }
  };
  run([] {
    const unwilling u;
    EXPECT_THROW(ts::async(ts::affinity(1), u), int);
  });
}

void spin_until(const std::atomic<bool>& flag) {
  while (!flag) {
  }
}

TEST(affinity_of_two_workers, a_child_runs_where_it_is_wished_while_the_spawner_is_busy) {
  ts::run(support::config_of(2), [] {
    for (int i = 0; i < 20; ++i) {
      const auto other = static_cast<std::size_t>(1 - ts::worker_id());
      std::atomic<bool> done{false};
      ts::finish([&] {
        ts::async(ts::affinity(other), [&] {
          EXPECT_EQ(static_cast<std::size_t>(ts::worker_id()), other);
          done = true;
        });
        spin_until(done);
      });
    }
  });
}

TEST(affinity_of_two_workers, a_child_for_a_busy_worker_is_taken_by_the_other) {
  std::uint64_t taken = 0;
  ts::run(support::config_of(2), [&] {
    const auto other = static_cast<std::size_t>(1 - ts::worker_id());
    std::atomic<bool> begun{false};
    std::atomic<bool> done{false};
    ts::finish([&] {
      ts::async(ts::affinity(other), [&] {
        begun = true;
        spin_until(done);
      });
      spin_until(begun);
      ts::async(ts::affinity(other), [&done] { done = true; });
    });
    taken = ts::stats().totals.invited_taken;
  });
  EXPECT_EQ(taken, 1u);
}

TEST(affinity_of_two_workers, a_child_for_its_own_worker_is_queued_like_any_other) {
  const ts::worker_counters totals = [] {
    ts::runtime rt(support::config_of(1));
    rt.run([] {
      for (std::size_t i = 0; i < 10; ++i) ts::async(ts::affinity(i), [] {});
    });
    return ts::stats().totals;
  }();
  EXPECT_EQ(totals.spawned_help_first, 10u);
  EXPECT_EQ(totals.spawned_invited, 0u);
}

// Workers that are bound look at near ones first, and at the others too.
TEST(bound_workers, find_work_wherever_it_lies) {
  for (const auto to : {ts::binding::core, ts::binding::numa}) {
    for (const int workers : {2, 3, 5}) {
      ts::config c = support::config_of(workers);
      c.bind = to;
      ts::run(c, [workers] {
        // A task for each other worker, all of which have to run at once: none lies where the worker that runs it would look first.
        std::atomic<int> running{1};
        ts::finish([&] {
          for (int i = 1; i < workers; ++i) {
            ts::async(ts::spawn_policy::help_first, [&running, workers] {
              ++running;
              while (running < workers) std::this_thread::yield();
            });
          }
          while (running < workers) std::this_thread::yield();
        });
      });
    }
  }
}

TEST(affinity_seeded, holds_in_many_orders) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::atomic<int> sum{0};
    ts::run(support::seeded_config_of(seed, 3), [&sum] {
      for (std::size_t i = 0; i < 10; ++i) {
        ts::async(ts::affinity(i), [&sum, i] {
          ts::yield();
          ts::async(ts::affinity(i + 1), [&sum] { ++sum; });
        });
      }
    });
    EXPECT_EQ(sum.load(), 10) << "seed " << seed;
  }
}

}  // namespace
