// SPDX-License-Identifier: Apache-2.0
// Tasks that share an entry of the queue are tasks of their own to the program. docs/protocols/batch.md.
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/settings.hpp"
#include "support/temporary.hpp"

namespace ts = tactus;

namespace {

using ts::spawn_policy;

constexpr std::size_t k_share = 32;  // tasks of an entry

/// Looks at `done` until it holds or ten seconds have passed; no scheduling point.
template <class Done>
bool wait_for(Done&& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

class batched_test : public support::each_setting {};

TEST_P(batched_test, tasks_run_once_each) {
  for (const std::size_t n : {1u, 31u, 32u, 33u, 5000u}) {
    std::vector<std::atomic<int>> ran(n);
    run([&] {
      ts::finish([&] {
        for (std::size_t i = 0; i < n; ++i) ts::async(ts::batched, [&ran, i] { ++ran[i]; });
      });
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(ran[i], 1) << i << " of " << n;
    });
  }
}

TEST_P(batched_test, tasks_that_spawn_such_tasks_run_once_each) {
  constexpr std::size_t k_nodes = 4095;
  struct tree {
    std::vector<std::atomic<int>> ran = std::vector<std::atomic<int>>(k_nodes);
    void visit(std::size_t i) {
      ++ran[i];
      if (2 * i + 1 < k_nodes) ts::async(ts::batched, [this, i] { visit(2 * i + 1); });
      if (2 * i + 2 < k_nodes) ts::async(ts::batched, [at = 2 * i + 2, this] { visit(at); });
    }
  };
  tree t;
  run([&] { t.visit(0); });
  for (std::size_t i = 0; i < k_nodes; ++i) EXPECT_EQ(t.ran[i], 1) << i;
}

TEST_P(batched_test, every_finish_waits_for_its_own) {
  std::atomic<int> outer = 0;
  run([&] {
    ts::finish([&] {
      for (int i = 0; i < 10; ++i) {
        ts::async(ts::batched, [&outer] { ++outer; });
        std::atomic<int> inner = 0;
        ts::finish([&] {
          for (int k = 0; k < 5; ++k) ts::async(ts::batched, [&inner] { ++inner; });
        });
        EXPECT_EQ(inner, 5);
      }
    });
    EXPECT_EQ(outer, 10);
  });
}

TEST_P(batched_test, one_that_waits_does_not_hold_up_the_rest) {
  std::atomic<int> got = 0;
  run([&] {
    std::vector<ts::promise<int>> promises(3 * k_share);
    ts::finish([&] {
      for (std::size_t i = 0; i < promises.size(); ++i) {
        ts::async(ts::batched, [&, i] {  // each waits for the next one
          if (i + 1 < promises.size()) got += promises[i + 1].get_future().get();
          promises[i].set_value(1);
        });
      }
    });
  });
  EXPECT_EQ(got, static_cast<int>(3 * k_share) - 1);
}

TEST_P(batched_test, exceptions_are_collected_one_by_one) {
  run([&] {
    try {
      ts::finish([&] {
        for (int i = 0; i < 40; ++i) {
          ts::async(ts::batched, [i] {
            if (i % 2 == 0) throw std::runtime_error("even");
          });
        }
      });
      ADD_FAILURE() << "no exception";
    } catch (const ts::multiple_exceptions& e) {
      EXPECT_EQ(e.exceptions().size(), 20u);
    }
  });
}

TEST_P(batched_test, each_has_its_own_task_local_values) {
  static ts::task_local<int> mine;
  std::atomic<int> seen = 0;
  run([&] {
    ts::finish([&] {
      for (int i = 0; i < 100; ++i) {
        ts::async(ts::batched, [&seen] {
          seen += *mine;
          *mine = 1;
        });
      }
    });
  });
  EXPECT_EQ(seen, 0);
}

TEST_P(batched_test, a_task_that_yields_until_one_has_run_goes_on) {
  run([&] {
    std::atomic<bool> ran = false;
    ts::async(ts::batched, [&ran] { ran = true; });
    while (!ran) ts::yield();
  });
}

TEST_P(batched_test, one_that_yields_until_a_later_one_has_run_goes_on) {
  run([&] {
    std::atomic<bool> ran = false;
    ts::finish([&] {
      ts::async(ts::batched, [&ran] {
        while (!ran) ts::yield();
      });
      ts::async(ts::batched, [&ran] { ran = true; });
    });
  });
}

TEST_P(batched_test, a_task_that_waits_at_a_clock_lets_them_run) {
  run([&] {
    std::atomic<int> ran = 0;
    ts::finish(ts::clocked, [&](ts::clock c) {
      ts::async(ts::clocked(c), [&, c] {
        while (ran == 0) ts::yield();
        c.advance();
      });
      ts::async(ts::batched, [&ran] { ++ran; });
      c.advance();
      EXPECT_EQ(ran, 1);
    });
  });
}

// Also where nothing lies below the task on its stack: the spawner is suspended.
TEST_P(batched_test, one_that_waits_at_a_clock_does_not_hold_up_the_rest) {
  std::atomic<int> ran = 0;
  run([&] {
    ts::promise<void> over;
    ts::finish([&] {
      ts::async(ts::batched, [&ran, &over] {
        ts::finish(ts::clocked, [&](ts::clock c) {
          ts::async(ts::clocked(c), [&ran, c] {
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
            while (ran == 0 && std::chrono::steady_clock::now() < end) ts::yield();
            c.advance();
          });
          c.advance();
          EXPECT_EQ(ran, 1);
        });
        over.set_value();
      });
      ts::async(ts::batched, [&ran] { ++ran; });
      over.get_future().get();
    });
  });
}

TEST_P(batched_test, any_closure_and_any_attribute_will_do) {
  std::atomic<int> ran = 0;
  run([&] {
    ts::finish([&] {
      struct large {
        char bytes[300];
      };
      for (int i = 0; i < 5; ++i) {
        ts::async(ts::batched, [&ran, p = std::make_unique<int>(1)] { ran += *p; });
        ts::async(ts::batched, [&ran, l = large{}] { ran += l.bytes[0] + 1; });
        ts::async(ts::batched, ts::named("a name"), [&ran] { ++ran; });
        ts::async(ts::named("a name"), ts::batched, spawn_policy::help_first, [&ran] { ++ran; });
        ts::async(ts::batched, ts::affinity(1), [&ran] { ++ran; });
        for (const spawn_policy p : {spawn_policy::work_first, spawn_policy::help_first, spawn_policy::adaptive}) {
          ts::async(p, ts::batched, [&ran] { ++ran; });
          ts::async(ts::batched, p, [&ran] { ++ran; });
        }
      }
    });
  });
  EXPECT_EQ(ran, 5 * 11);
}

TACTUS_EACH_SETTING(batched_test);

// With one worker the newest entry runs first, and the tasks of an entry in the order of their spawns.
TEST(batched_entries_test, are_shared_by_tasks_of_any_type) {
  constexpr std::size_t k_tasks = 3 * k_share;
  std::vector<std::size_t> order;
  ts::run(support::config_of(1), [&] {
    ts::finish([&] {
      for (std::size_t i = 0; i < k_tasks; ++i) {
        if (i % 2 == 0)
          ts::async(ts::batched, [&order, i] { order.push_back(i); });
        else
          ts::async(ts::batched, [p = &order, i] { p->push_back(i); });
      }
    });
  });
  std::vector<std::size_t> expected;
  for (const std::size_t first : {2 * k_share, k_share, std::size_t{0}}) {
    for (std::size_t i = 0; i < k_share; ++i) expected.push_back(first + i);
  }
  EXPECT_EQ(order, expected);
}

TEST(batched_entries_test, do_not_pile_up_under_the_adaptive_policy) {
  ts::runtime rt(support::config_of(1));
  int ran = 0;
  rt.run([&] {
    ts::finish([&] {
      for (int i = 0; i < 1'000'000; ++i) ts::async(ts::batched, [&ran] { ++ran; });
    });
  });
  EXPECT_EQ(ran, 1'000'000);
  EXPECT_LE(rt.stats().totals.descriptor_bytes, 1u << 20u);
  EXPECT_EQ(rt.stats().totals.tasks_run, 1'000'000u);
}

// What a worker puts together is nobody else's to see; a worker that finds nothing else takes it all the same.
TEST(batched_entries_test, that_are_open_are_taken_by_a_worker_without_work) {
  std::atomic<bool> busy = false;
  std::atomic<bool> go = false;
  std::atomic<int> ran = 0;
  bool all_ran = false;
  ts::run(support::config_of(2), [&] {
    ts::finish([&] {
      ts::async(spawn_policy::help_first, [&] {
        busy = true;
        static_cast<void>(wait_for([&] { return go.load(); }));
      });
      ASSERT_TRUE(wait_for([&] { return busy.load(); }));  // so nobody sleeps
      for (int i = 0; i < 5; ++i) ts::async(ts::batched, [&ran] { ++ran; });
      EXPECT_EQ(ran, 0);
      go = true;
      all_ran = wait_for([&] { return ran == 5; });
    });
  });
  EXPECT_TRUE(all_ran);
}

TEST(batched_entries_test, are_halved_for_a_worker_that_sleeps) {
  std::atomic<bool> busy = false;
  std::atomic<bool> go = false;
  std::atomic<int> together = 0;
  std::atomic<bool> met = false;
  ts::run(support::config_of(2), [&] {
    ts::finish([&] {
      ts::async(spawn_policy::help_first, [&] {
        busy = true;
        static_cast<void>(wait_for([&] { return go.load(); }));
      });
      ASSERT_TRUE(wait_for([&] { return busy.load(); }));
      for (int i = 0; i < 16; ++i) {  // fewer than make an entry full
        ts::async(ts::batched, [&] {
          go = true;
          ++together;
          const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
          while (!met && std::chrono::steady_clock::now() < end) {
            if (together == 2) met = true;
          }
          --together;
        });
      }
    });
  });
  EXPECT_TRUE(met) << "two workers never ran tasks of one entry at once";
}

TEST(batched_attribute_test, is_refused_where_async_is) {
  EXPECT_THROW(ts::async(ts::batched, [] {}), ts::usage_error);
  ts::run(support::config_of(2),
          [&] { ts::atomic([&] { EXPECT_THROW(ts::async(ts::batched, [] {}), ts::atomic_use_error); }); });
}

std::vector<int> order_of_a_seed(std::uint64_t seed, bool together) {
  std::vector<int> order;
  ts::run(support::seeded_config_of(seed, 3), [&] {
    ts::finish([&] {
      for (int i = 0; i < 100; ++i) {
        const auto task = [&order, i] { order.push_back(i); };
        if (together)
          ts::async(ts::batched, task);
        else
          ts::async(task);
      }
    });
  });
  return order;
}

TEST(batched_attribute_test, changes_nothing_under_the_seeded_scheduler) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(order_of_a_seed(seed, true), order_of_a_seed(seed, false)) << "seed " << seed;
  }
}

TEST(batched_attribute_test, leaves_each_task_its_own_stretch_in_a_timeline) {
  const support::temporary_folder folder;
  ts::config c = support::config_of(1);
  c.trace = folder / "t.json";
  std::vector<int> order;
  ts::run(c, [&] {
    ts::finish([&] {
      for (int i = 0; i < 100; ++i) ts::async(ts::batched, [&order, i] { order.push_back(i); });
    });
  });
  ASSERT_EQ(order.size(), 100u);
  EXPECT_EQ(order.front(), 99) << "tasks shared an entry, whose parts a timeline does not show";
}

}  // namespace
