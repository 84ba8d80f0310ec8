// SPDX-License-Identifier: Apache-2.0
// Several runtimes of one process, active at once: what they share and what they do not.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;
using support::config_of;
using support::contains;

class several_runtimes_test : public support::each_setting {
protected:
  static ts::config options() { return config_of(GetParam().workers, GetParam().policy); }
};
TACTUS_EACH_SETTING(several_runtimes_test);

void wait_until(const std::function<bool()>& holds) {
  while (!holds()) std::this_thread::yield();
}

TEST_P(several_runtimes_test, run_at_the_same_time) {
  std::atomic<int> inside{0};
  const auto meet = [&] {
    ts::finish([&] {
      ts::async([&] {
        ++inside;
        wait_until([&] { return inside == 2; });
      });
    });
  };
  std::thread other([&] { ts::run(options(), meet); });
  ts::run(options(), meet);
  other.join();
  EXPECT_EQ(inside, 2);
}

TEST_P(several_runtimes_test, wake_tasks_of_each_other_by_external_promises) {
  constexpr int k_rounds = 200;
  std::vector<ts::promise<int>> there;
  std::vector<ts::promise<int>> back;
  for (int i = 0; i < k_rounds; ++i) {
    there.emplace_back(ts::external);
    back.emplace_back(ts::external);
  }
  const auto index = [](int i) { return static_cast<std::size_t>(i); };
  std::thread other([&] {
    ts::run(options(), [&] {
      for (int i = 0; i < k_rounds; ++i) back[index(i)].set_value(there[index(i)].get_future().get() + 1);
    });
  });
  long sum = 0;
  ts::run(options(), [&] {
    for (int i = 0; i < k_rounds; ++i) {
      there[index(i)].set_value(i);
      sum += back[index(i)].get_future().get();
    }
  });
  other.join();
  EXPECT_EQ(sum, k_rounds * (k_rounds - 1L) / 2 + k_rounds);
}

// The promise is made in a task of one runtime, and counted there; the one that waits for it must not be found stuck.
TEST_P(several_runtimes_test, are_not_stuck_while_they_wait_for_an_external_promise_of_another) {
  ts::runtime maker(options());
  ts::runtime waiter(options());
  std::optional<ts::promise<int>> made;
  std::atomic<bool> is_made{false};
  std::thread other([&] {
    maker.run([&] {
      made.emplace(ts::external);
      const ts::promise<int> kept = *made;
      const ts::worker_counters before = waiter.stats().totals;
      is_made = true;
      wait_until([&] { return waiter.stats().totals.suspensions > before.suspensions; });
      wait_until([&] { return waiter.stats().totals.parks > before.parks; });
      kept.set_value(42);
    });
  });
  wait_until([&] { return is_made.load(); });
  EXPECT_EQ(waiter.run([&] { return made->get_future().get(); }), 42);
  other.join();
}

TEST_P(several_runtimes_test, find_their_own_deadlocks) {
  std::atomic<bool> found{false};
  std::thread other([&] { ts::run(options(), [&] { wait_until([&] { return found.load(); }); }); });
  const auto error = caught<ts::deadlock_error>([] {
    ts::run(options(), [] {
      const ts::promise<int> never;
      static_cast<void>(never.get_future().get());
    });
  });
  found = true;
  other.join();
  ASSERT_TRUE(error);
  EXPECT_TRUE(contains(error->what(), "task 'root' waits for future ")) << error->what();
}

TEST_P(several_runtimes_test, have_atomic_blocks_of_their_own) {
  std::atomic<int> inside{0};
  const auto meet = [&] {
    ts::atomic([&] {
      ++inside;
      wait_until([&] { return inside == 2; });
    });
  };
  std::thread other([&] { ts::run(options(), meet); });
  ts::run(options(), meet);
  other.join();
}

TEST_P(several_runtimes_test, count_each_for_itself) {
  ts::runtime one(options());
  ts::runtime two(options());
  one.run([] {
    ts::finish([] {
      for (int i = 0; i < 100; ++i) ts::async([] {});
    });
  });
  two.run([] { ts::finish([] { ts::async([] {}); }); });
  const auto spawned = [](const ts::runtime& rt) {
    const ts::worker_counters t = rt.stats().totals;
    return t.spawned_work_first + t.spawned_help_first + t.spawned_shared;
  };
  EXPECT_EQ(spawned(one), 100U);
  EXPECT_EQ(spawned(two), 1U);
}

// What is of one runtime may not be waited for, nor set, in a task of another.
TEST_P(several_runtimes_test, refuse_each_others_plain_promises_and_futures) {
  ts::runtime one(options());
  ts::runtime two(options());
  std::optional<ts::promise<int>> plain;
  one.run([&] { plain.emplace(); });
  two.run([&] {
    const auto get = caught<ts::usage_error>([&] { static_cast<void>(plain->get_future().get()); });
    ASSERT_TRUE(get);
    EXPECT_TRUE(contains(get->what(), "future::get")) << get->what();
    const auto set = caught<ts::usage_error>([&] { plain->set_value(1); });
    ASSERT_TRUE(set);
    EXPECT_TRUE(contains(set->what(), "promise::set_value")) << set->what();
  });
  one.run([&] {
    plain->set_value(2);
    EXPECT_EQ(plain->get_future().get(), 2);
  });
  EXPECT_EQ(two.run([&] { return plain->get_future().get(); }), 2);  // it is there: nobody waits
}

// One made outside of tasks is of the runtime whose task first waits for it, or sets it: one list of waiters, one verdict.
TEST_P(several_runtimes_test, do_not_share_a_plain_promise_that_was_made_outside_of_tasks) {
  ts::runtime waiter(options());
  const ts::promise<int> plain;
  std::atomic<bool> refused{false};
  std::thread other([&] {
    ts::run(options(), [&] {
      wait_until([&] { return waiter.stats().totals.suspensions > 0; });
      wait_until([&] { return waiter.stats().totals.parks > 0; });
      const auto get = caught<ts::usage_error>([&] { static_cast<void>(plain.get_future().get()); });
      EXPECT_TRUE(get && contains(get->what(), "future::get") && contains(get->what(), "tactus::external"))
          << (get ? get->what() : "");
      const auto set = caught<ts::usage_error>([&] { plain.set_value(1); });
      EXPECT_TRUE(set && contains(set->what(), "promise::set_value")) << (set ? set->what() : "");
    });
    refused = true;
  });
  waiter.run([&] {
    const ts::promise<void> kept(ts::external);  // keeps the run from being found stuck
    ts::async(ts::spawn_policy::help_first, [&] { EXPECT_EQ(plain.get_future().get(), 2); });
    const ts::future<void> told = kept.get_future();
    std::thread tells([&] {
      wait_until([&] { return refused.load(); });
      kept.set_value();
    });
    told.get();
    plain.set_value(2);
    tells.join();
  });
  other.join();
  EXPECT_EQ(ts::run(options(), [&] { return plain.get_future().get(); }), 2);  // it is there: nobody waits
}

TEST_P(several_runtimes_test, may_use_such_a_promise_after_each_other) {
  const ts::promise<int> plain;
  EXPECT_TRUE(caught<ts::deadlock_error>([&] {
    ts::run(options(), [&] {
      EXPECT_THROW(static_cast<void>(plain.get_future().get()), ts::deadlock_error);
      EXPECT_THROW(static_cast<void>(plain.get_future().get()), ts::deadlock_error);
    });
  }));
  ts::run(options(), [&] {
    ts::async(ts::spawn_policy::help_first, [&] { plain.set_value(3); });
    EXPECT_EQ(plain.get_future().get(), 3);
  });
}

TEST_P(several_runtimes_test, come_and_go_beside_each_other) {
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        ts::promise<int> p(ts::external);
        std::thread outside([p] { p.set_value(1); });
        sum += ts::run(options(),
                       [&] { return p.get_future().get() + ts::reduce(0, 10, std::plus<>{}, [](int) { return 1; }); });
        outside.join();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sum, 4 * 10 * 11);
}

TEST(runtime_test, runs_one_body_at_a_time) {
  ts::runtime rt(config_of(2));
  bool ran = false;
  rt.run([&] {
    std::thread([&] {
      const auto error = caught<ts::usage_error>([&] { rt.run([&] { ran = true; }); });
      ASSERT_TRUE(error);
      EXPECT_TRUE(contains(error->what(), "runtime::run")) << error->what();
    }).join();
  });
  EXPECT_FALSE(ran);
  EXPECT_EQ(rt.run([] { return 1; }), 1);
}

TEST(runtime_test, may_run_inside_a_thread_that_a_task_waits_for) {
  EXPECT_EQ(ts::run(config_of(2),
                    [] {
                      int inner = 0;
                      std::thread([&] { inner = ts::run(config_of(2), [] { return 3; }); }).join();
                      return inner;
                    }),
            3);
}

// Two seeded runs beside each other: each is what it is alone.
TEST(runtime_test, repeats_a_seed_beside_another_one) {
  const auto order = [] {
    std::vector<int> seen;
    ts::run(support::seeded_config_of(7, 3), [&] {
      ts::finish([&] {
        for (int i = 0; i < 50; ++i) {
          ts::async([&seen, i] {
            ts::yield();
            seen.push_back(i);
          });
        }
      });
    });
    return seen;
  };
  const std::vector<int> alone = order();
  std::vector<int> one;
  std::vector<int> two;
  std::thread other([&] { one = order(); });
  two = order();
  other.join();
  EXPECT_EQ(one, alone);
  EXPECT_EQ(two, alone);
}

}  // namespace
