// SPDX-License-Identifier: Apache-2.0
// async: what a child task is, what may be one, and that each runs exactly once.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

class async_test : public support::each_setting {};
TACTUS_EACH_SETTING(async_test);

TEST_P(async_test, every_child_runs_exactly_once) {
  const std::size_t n = support::scaled(20'000);
  std::vector<int> runs(n, 0);
  run([&] {
    for (std::size_t i = 0; i < n; ++i) ts::async([&runs, i] { ++runs[i]; });
  });
  EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), static_cast<std::ptrdiff_t>(n));
}

TEST_P(async_test, a_child_may_outlive_its_parent) {
  // The last task of the chain runs when all its ancestors have ended; the finish waits for it.
  struct chain {
    static void link(int left, int& end) {
      if (left == 0) {
        end = 1;
      } else {
        ts::async([left, &end] { link(left - 1, end); });
      }
    }
  };
  int end = 0;
  run([&] {
    ts::finish([&] { chain::link(1'000, end); });
    EXPECT_EQ(end, 1);
  });
}

TEST_P(async_test, grandchildren_are_joined_by_the_innermost_enclosing_finish) {
  std::atomic<int> leaves{0};
  run([&] {
    ts::finish([&] {
      for (int i = 0; i < 10; ++i) {
        ts::async([&] {
          for (int k = 0; k < 10; ++k) ts::async([&] { ts::async([&] { ++leaves; }); });
        });
      }
    });
    EXPECT_EQ(leaves.load(), 100);
  });
}

TEST_P(async_test, a_function_that_spawns_may_be_called_plainly_or_as_a_task) {
  std::atomic<int> calls{0};
  const auto parallel = [&] {
    for (int i = 0; i < 5; ++i) ts::async([&] { ++calls; });
  };
  run([&] {
    ts::finish([&] {
      parallel();
      ts::async(parallel);
    });
    EXPECT_EQ(calls.load(), 10);
  });
}

TEST_P(async_test, a_child_sees_what_its_spawner_wrote_before) {
  run([&] {
    ts::finish([&] {
      for (int i = 0; i < 200; ++i) {
        auto cell = std::make_shared<int>(0);
        *cell = i;
        ts::async([cell, i] { EXPECT_EQ(*cell, i); });
      }
    });
  });
}

TEST_P(async_test, recursion_without_a_cutoff_counts_right) {
  struct fibonacci {
    static void add(int n, std::atomic<long>& sum) {
      if (n < 2) {
        sum += n;
      } else {
        ts::async([n, &sum] { add(n - 1, sum); });
        add(n - 2, sum);
      }
    }
    static long of(int n) {
      if (n < 2) return n;
      long a = 0;
      long b = 0;
      ts::finish([&] {
        ts::async([&] { a = of(n - 1); });
        b = of(n - 2);
      });
      return a + b;
    }
  };
  std::atomic<long> sum{0};
  run([&] {
    fibonacci::add(support::k_sanitized ? 12 : 18, sum);
    EXPECT_EQ(fibonacci::of(support::k_sanitized ? 12 : 18), support::k_sanitized ? 144 : 2'584);
  });
  EXPECT_EQ(sum.load(), support::k_sanitized ? 144 : 2'584);
}

TEST_P(async_test, the_result_of_the_function_is_discarded) {
  int calls = 0;
  run([&] { ts::async([&] { return std::make_unique<int>(++calls); }); });
  EXPECT_EQ(calls, 1);
}

std::atomic<int> function_calls{0};
void plain_function() { ++function_calls; }

TEST_P(async_test, a_plain_function_may_be_a_task) {
  function_calls = 0;
  run([] {
    ts::async(plain_function);
    ts::async(&plain_function);
  });
  EXPECT_EQ(function_calls.load(), 2);
}

TEST_P(async_test, a_std_function_may_be_a_task) {
  std::atomic<int> calls{0};
  run([&] {
    const std::function<void()> f = [&] { ++calls; };
    ts::async(f);
    ts::async(std::function<void()>(f));
  });
  EXPECT_EQ(calls.load(), 2);
}

TEST_P(async_test, a_mutable_function_object_changes_its_own_copy) {
  struct counter {
    int* seen;
    int count = 0;
    void operator()() { *seen = ++count; }
  };
  int seen = 0;
  run([&] {
    counter mine{.seen = &seen};
    ts::finish([&] { ts::async(mine); });
    EXPECT_EQ(mine.count, 0);
  });
  EXPECT_EQ(seen, 1);
}

TEST_P(async_test, attributes_may_come_in_any_order) {
  std::atomic<int> calls{0};
  const auto f = [&] { ++calls; };
  run([&] {
    ts::async(ts::named("a"), f);
    ts::async(ts::spawn_policy::help_first, f);
    ts::async(ts::spawn_policy::work_first, ts::named("b"), f);
    ts::async(ts::named("c"), ts::spawn_policy::help_first, f);
  });
  EXPECT_EQ(calls.load(), 4);
}

TEST_P(async_test, worker_numbers_are_below_the_number_of_workers) {
  run([] {
    EXPECT_EQ(ts::num_workers(), GetParam().workers);
    for (int i = 0; i < 200; ++i) {
      ts::async([] {
        const int me = ts::worker_id();
        EXPECT_GE(me, 0);
        EXPECT_LT(me, GetParam().workers);
      });
    }
  });
}

TEST_P(async_test, a_task_that_blocks_nobody_lets_deep_recursion_pass) {
  // Each level is one live task on a stack of its own under work_first; none of them stands on another's stack.
  struct nest {
    static void down(std::size_t left, std::size_t& bottom) {
      if (left == 0) {
        bottom = 1;
      } else {
        ts::finish([&] { ts::async([&, left] { down(left - 1, bottom); }); });
      }
    }
  };
  std::size_t bottom = 0;
  run([&] { nest::down(support::scaled(20'000), bottom); });
  EXPECT_EQ(bottom, 1u);
}

}  // namespace
