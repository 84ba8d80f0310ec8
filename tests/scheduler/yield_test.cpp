// SPDX-License-Identifier: Apache-2.0
// yield: goes behind everything ready on this worker.
#include <tactus/tactus.hpp>

#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using enum ts::spawn_policy;

class yield_test : public support::each_setting {};
TACTUS_EACH_SETTING(yield_test);

TEST_P(yield_test, returns_when_nothing_else_is_ready) {
  run([] {
    for (int i = 0; i < 1'000; ++i) ts::yield();
  });
}

TEST_P(yield_test, lets_the_task_that_is_waited_for_run) {
  run([] {
    std::atomic<bool> flag{false};
    ts::async(help_first, [&] { flag = true; });
    while (!flag) ts::yield();
  });
}

TEST_P(yield_test, lets_a_task_spawned_by_a_waiting_loop_run) {
  run([] {
    std::atomic<int> count{0};
    for (int i = 0; i < 20; ++i) {
      ts::async(help_first, [&] { ts::async(help_first, [&] { ++count; }); });
    }
    while (count != 20) ts::yield();
  });
}

class yielding_loop_test : public support::each_setting {};
TACTUS_EACH_PARALLEL_SETTING(yielding_loop_test);

// The only one that could run the child sooner is a worker that is busy until the child has run.
TEST_P(yielding_loop_test, takes_a_task_from_the_deque_of_a_busy_worker) {
  std::atomic<bool> flag{false};
  std::atomic<bool> busy{false};
  run([&] {
    ts::async(help_first, [&] {
      ts::async(help_first, [&] { flag = true; });
      busy = true;
      while (!flag) std::this_thread::yield();
    });
    while (!busy) std::this_thread::yield();
    while (!flag) ts::yield();
  });
}

TEST_P(yielding_loop_test, takes_a_task_that_was_meant_for_a_busy_worker) {
  std::atomic<bool> flag{false};
  std::atomic<int> busy{-1};
  run([&] {
    ts::async(help_first, [&] {
      busy = ts::worker_id();
      while (!flag) std::this_thread::yield();
    });
    while (busy < 0) std::this_thread::yield();
    ts::async(ts::affinity(static_cast<std::size_t>(busy)), [&] { flag = true; });
    while (!flag) ts::yield();
  });
}

TEST_P(yield_test, many_tasks_that_yield_all_end) {
  std::atomic<int> ended{0};
  run([&] {
    for (int i = 0; i < 100; ++i) {
      ts::async([&] {
        for (int k = 0; k < 20; ++k) ts::yield();
        ++ended;
      });
    }
  });
  EXPECT_EQ(ended.load(), 100);
}

// The order is observable with one worker only.
std::vector<std::string> order_with_one_worker(void (*body)(std::vector<std::string>&)) {
  std::vector<std::string> order;
  ts::run(support::config_of(1), [&] { body(order); });
  return order;
}

TEST(yield_order_test, every_queued_task_runs_before_the_one_that_yields) {
  const auto order = order_with_one_worker([](std::vector<std::string>& o) {
    for (int i = 0; i < 3; ++i) ts::async(help_first, [&o] { o.push_back("child"); });
    ts::yield();
    o.push_back("spawner");
  });
  EXPECT_EQ(order, (std::vector<std::string>{"child", "child", "child", "spawner"}));
}

TEST(yield_order_test, a_spawner_goes_on_before_its_child_that_yields) {
  const auto order = order_with_one_worker([](std::vector<std::string>& o) {
    ts::async(work_first, [&o] {
      o.push_back("child 1");
      ts::yield();
      o.push_back("child 2");
    });
    o.push_back("spawner");
  });
  EXPECT_EQ(order, (std::vector<std::string>{"child 1", "spawner", "child 2"}));
}

TEST(yield_order_test, two_tasks_that_yield_take_turns) {
  const auto order = order_with_one_worker([](std::vector<std::string>& o) {
    for (const char* const name : {"a", "b"}) {
      ts::async(help_first, [&o, name] {
        for (int i = 0; i < 3; ++i) {
          o.push_back(name);
          ts::yield();
        }
      });
    }
  });
  ASSERT_EQ(order.size(), 6u);
  for (std::size_t i = 2; i < order.size(); ++i) {
    EXPECT_EQ(order[i], order[i - 2]);
    EXPECT_NE(order[i], order[i - 1]);
  }
}

TEST(yield_order_test, a_task_that_became_ready_again_runs_before_the_one_that_yields) {
  const auto order = order_with_one_worker([](std::vector<std::string>& o) {
    ts::promise<void> gate;
    ts::async(work_first, [&o, opened = gate.get_future()] {
      opened.get();
      o.push_back("waiter");
    });
    gate.set_value();
    ts::yield();
    o.push_back("setter");
  });
  EXPECT_EQ(order, (std::vector<std::string>{"waiter", "setter"}));
}

}  // namespace
