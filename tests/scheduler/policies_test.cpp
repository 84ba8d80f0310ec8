// SPDX-License-Identifier: Apache-2.0
// What each policy promises about who runs next and who moves, per runtime and per async.
#include <tactus/tactus.hpp>

#include "support/parallel.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace ts = tactus;

namespace {

using enum ts::spawn_policy;
using trace = std::vector<std::string>;
using support::config_of;

// With one worker the order of events is the policy and nothing else.
template <class Spawn>
trace order_of(ts::spawn_policy of_the_runtime, Spawn spawn) {
  trace order;
  ts::run(config_of(1, of_the_runtime), [&] {
    ts::finish([&] {
      spawn([&order] { order.push_back("child"); });
      order.push_back("spawner");
    });
    order.push_back("after finish");
  });
  return order;
}

const trace k_child_first{"child", "spawner", "after finish"};
const trace k_spawner_first{"spawner", "child", "after finish"};

TEST(policies_test, work_first_runtime_runs_the_child_first) {
  EXPECT_EQ(order_of(work_first, [](auto f) { ts::async(f); }), k_child_first);
}

TEST(policies_test, help_first_runtime_goes_on_with_the_spawner) {
  EXPECT_EQ(order_of(help_first, [](auto f) { ts::async(f); }), k_spawner_first);
}

TEST(policies_test, work_sharing_runtime_goes_on_with_the_spawner) {
  EXPECT_EQ(order_of(work_sharing, [](auto f) { ts::async(f); }), k_spawner_first);
}

TEST(policies_test, work_sharing_runs_the_oldest_first) {
  trace order;
  ts::run(config_of(1, work_sharing), [&] {
    for (const char* const parent : {"a", "b", "c"}) {
      ts::async([&order, parent] {
        order.push_back(parent);
        ts::async([&order, child = std::string(parent) + parent] { order.push_back(child); });
      });
    }
  });
  EXPECT_EQ(order, (trace{"a", "b", "c", "aa", "bb", "cc"}));
}

TEST(policies_test, work_sharing_counts_what_it_shares_and_steals_no_tasks) {
  ts::runtime rt(config_of(2, work_sharing));
  rt.run([] {
    for (int i = 0; i < 1'000; ++i) ts::async([] {});
  });
  const ts::worker_counters totals = ts::stats().totals;
  EXPECT_EQ(totals.spawned_shared, 1'000u);
  EXPECT_EQ(totals.tasks_run, 1'000u);
  EXPECT_EQ(totals.tasks_stolen + totals.spawned_help_first + totals.spawned_work_first, 0u);
}

TEST(policies_test, an_async_that_says_work_first_runs_the_child_first_under_any_policy) {
  for (const auto policy : {adaptive, work_first, help_first, work_sharing}) {
    EXPECT_EQ(order_of(policy, [](auto f) { ts::async(work_first, f); }), k_child_first) << support::name_of(policy);
  }
}

TEST(policies_test, an_async_that_says_help_first_goes_on_with_the_spawner_under_any_policy) {
  for (const auto policy : {adaptive, work_first, help_first, work_sharing}) {
    EXPECT_EQ(order_of(policy, [](auto f) { ts::async(help_first, f); }), k_spawner_first) << support::name_of(policy);
    EXPECT_EQ(order_of(policy, [](auto f) { ts::async(work_sharing, f); }), k_spawner_first)
        << support::name_of(policy);
  }
}

TEST(policies_test, what_adaptive_found_at_a_long_deque_does_not_outlast_it) {
  std::uint64_t queued = 0;
  tactus::run(support::config_of(1), [&] {
    ts::finish([] {
      for (int i = 0; i < 20'000; ++i) ts::async(ts::spawn_policy::help_first, [] {});
      for (int i = 0; i < 200; ++i) ts::async([] {});
    });
    const std::uint64_t before = ts::stats().totals.spawned_help_first;
    ts::finish([] {
      for (int i = 0; i < 20'000; ++i) ts::async([] {});
    });
    queued = ts::stats().totals.spawned_help_first - before;
  });
  EXPECT_LT(queued, 5'000U);
}

TEST(policies_test, an_async_future_takes_a_policy_too) {
  for (const auto policy : {adaptive, work_first, help_first, work_sharing}) {
    EXPECT_EQ(order_of(policy, [](auto f) { static_cast<void>(ts::async_future(work_first, f)); }), k_child_first);
    EXPECT_EQ(order_of(policy, [](auto f) { static_cast<void>(ts::async_future(help_first, f)); }), k_spawner_first);
  }
}

TEST(policies_test, work_first_with_one_worker_runs_in_the_order_of_the_serial_program) {
  struct program {
    static void walk(int depth, bool parallel, trace& order) {
      order.push_back("in " + std::to_string(depth));
      for (int i = 0; i < depth; ++i) {
        if (parallel) {
          ts::async([depth, &order] { walk(depth - 1, true, order); });
        } else {
          walk(depth - 1, false, order);
        }
        order.push_back("after " + std::to_string(depth) + "." + std::to_string(i));
      }
    }
  };
  trace serial;
  program::walk(4, false, serial);
  trace parallel;
  ts::run(config_of(1, work_first), [&] { program::walk(4, true, parallel); });
  EXPECT_EQ(parallel, serial);
}

TEST(policies_test, help_first_with_one_worker_starts_no_child_before_the_spawner_waits) {
  ts::run(config_of(1, help_first), [] {
    std::atomic<int> started{0};
    ts::finish([&] {
      for (int i = 0; i < 1'000; ++i) {
        ts::async([&] { ++started; });
        ASSERT_EQ(started.load(), 0);
      }
    });
    EXPECT_EQ(started.load(), 1'000);
  });
}

class never_moves_test : public support::each_setting {};
TACTUS_EACH_SETTING(never_moves_test);

TEST_P(never_moves_test, the_caller_of_a_help_first_async) {
  // Thieves are kept hungry by short children; the spawner must find itself on the same thread after each spawn.
  const std::size_t n = support::scaled(20'000);
  run([&] {
    std::atomic<std::size_t> ran{0};
    ts::finish([&] {
      const int worker = ts::worker_id();
      const pid_t thread = gettid();
      for (std::size_t i = 0; i < n; ++i) {
        ts::async(help_first, [&] { ++ran; });
        ASSERT_EQ(ts::worker_id(), worker);
        ASSERT_EQ(gettid(), thread);
      }
    });
    EXPECT_EQ(ran.load(), n);
  });
}

TEST_P(never_moves_test, a_task_that_spawns_help_first_anywhere_in_the_tree) {
  run([] {
    for (int i = 0; i < 100; ++i) {
      ts::async([] {
        const pid_t thread = gettid();
        for (int k = 0; k < 20; ++k) {
          ts::async(help_first, [] {});
          ASSERT_EQ(gettid(), thread);
        }
      });
    }
  });
}

class mixed_policies_test : public support::each_setting {};
TACTUS_EACH_SETTING(mixed_policies_test);

TEST_P(mixed_policies_test, may_be_mixed_in_one_finish) {
  struct tree {
    static void grow(int depth, std::atomic<int>& leaves) {
      if (depth == 0) {
        ++leaves;
        return;
      }
      ts::async(work_first, [depth, &leaves] { grow(depth - 1, leaves); });
      ts::async(help_first, [depth, &leaves] { grow(depth - 1, leaves); });
      ts::async([depth, &leaves] { grow(depth - 1, leaves); });
    }
  };
  std::atomic<int> leaves{0};
  run([&] {
    ts::finish([&] { tree::grow(support::k_sanitized ? 4 : 7, leaves); });
    EXPECT_EQ(leaves.load(), support::k_sanitized ? 81 : 2'187);
  });
}

TEST_P(mixed_policies_test, tasks_of_every_kind_may_suspend_side_by_side) {
  std::atomic<int> done{0};
  run([&] {
    ts::promise<void> gate;
    ts::finish([&] {
      for (int i = 0; i < 50; ++i) {
        const auto f = [&done, opened = gate.get_future()] {
          opened.get();
          ++done;
        };
        ts::async(work_first, f);
        ts::async(help_first, f);
        ts::async(f);
      }
      gate.set_value();
    });
  });
  EXPECT_EQ(done.load(), 150);
}

class two_at_a_time_test : public support::each_setting {};
TACTUS_EACH_PARALLEL_SETTING(two_at_a_time_test);

TEST_P(two_at_a_time_test, a_work_first_spawner_goes_on_elsewhere_while_its_child_computes) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      support::event gone_on;
      ts::finish([&] {
        ts::async(work_first, [&] { gone_on.await(); });
        gone_on.set();
      });
    }
  });
}

TEST_P(two_at_a_time_test, a_help_first_child_runs_elsewhere_while_its_spawner_computes) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      support::event started;
      ts::finish([&] {
        ts::async(help_first, [&] { started.set(); });
        started.await();
      });
    }
  });
}

TEST_P(two_at_a_time_test, a_child_runs_beside_its_spawner_whatever_the_policy_decides) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      support::event child;
      support::event spawner;
      ts::finish([&] {
        ts::async([&] {
          child.set();
          spawner.await();
        });
        spawner.set();
        child.await();
      });
    }
  });
}

TEST_P(two_at_a_time_test, a_task_that_was_set_free_runs_elsewhere_while_the_one_that_freed_it_computes) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      ts::promise<void> gate;
      support::event woken;
      std::atomic<bool> waiting{false};
      ts::finish([&] {
        ts::async([&, opened = gate.get_future()] {
          waiting = true;
          opened.get();
          woken.set();
        });
        while (!waiting) ts::yield();
        gate.set_value();
        woken.await();
      });
    }
  });
}

TEST_P(two_at_a_time_test, never_more_threads_run_tasks_than_there_are_workers) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  run([&] {
    for (std::size_t i = 0; i < support::scaled(2'000, 100); ++i) {
      ts::async([&] {
        const int now = ++running;
        int before = most.load();
        while (before < now && !most.compare_exchange_weak(before, now)) {
        }
        std::this_thread::yield();
        --running;
      });
    }
  });
  EXPECT_LE(most.load(), GetParam().workers);
}

}  // namespace
