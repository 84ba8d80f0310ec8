// SPDX-License-Identifier: Apache-2.0
// A program that is stuck ends, and says who waits for what; a program that is not stuck is left alone.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;
using support::contains;

class deadlock_test : public support::each_setting {
protected:
  template <class Body>
  static std::optional<ts::deadlock_error> error_of(Body body) {
    return caught<ts::deadlock_error>([&] { run(body); });
  }
};
TACTUS_EACH_SETTING(deadlock_test);

TEST_P(deadlock_test, of_a_promise_that_nobody_sets_ends_run) {
  const auto e = error_of([] {
    ts::promise<int> never;
    static_cast<void>(never.get_future().get());
  });
  ASSERT_TRUE(e);
}

TEST_P(deadlock_test, of_two_futures_that_wait_for_each_other_names_both) {
  const auto e = error_of([] {
    ts::promise<ts::future<int>> a_known;
    ts::finish([&] {
      const auto a = ts::async_future(ts::named("alice"), [b = a_known.get_future()] { return b.get().get(); });
      const auto b = ts::async_future(ts::named("bob"), [a] { return a.get(); });
      a_known.set_value(b);
    });
  });
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), "alice")) << e->what();
  EXPECT_TRUE(contains(e->what(), "bob")) << e->what();
}

TEST_P(deadlock_test, of_a_task_that_waits_for_itself_names_it) {
  const auto e = error_of([] {
    ts::promise<ts::future<int>> self;
    const auto f = ts::async_future(ts::named("narcissus"), [me = self.get_future()] { return me.get().get(); });
    self.set_value(f);
  });
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), "narcissus")) << e->what();
}

TEST_P(deadlock_test, lists_every_waiting_task_and_that_it_waits_for_a_future) {
  const auto e = error_of([] {
    ts::promise<void> never;
    ts::finish([&] {
      for (int i = 0; i < 10; ++i) {
        ts::async(ts::named("waiter-" + std::to_string(i) + "!"), [f = never.get_future()] { f.get(); });
      }
    });
  });
  ASSERT_TRUE(e);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(contains(e->what(), "waiter-" + std::to_string(i) + "!")) << e->what();
  }
  EXPECT_TRUE(contains(e->what(), "future")) << e->what();
}

TEST_P(deadlock_test, lists_tasks_without_a_name_too) {
  const auto named = error_of([] {
    ts::promise<void> never;
    ts::finish([&] { ts::async([f = never.get_future()] { f.get(); }); });
  });
  ASSERT_TRUE(named);
  EXPECT_TRUE(contains(named->what(), "future")) << named->what();
}

TEST_P(deadlock_test, does_not_list_tasks_that_are_not_stuck) {
  const auto e = error_of([] {
    ts::promise<void> never;
    ts::finish([&] {
      ts::async(ts::named("innocent"), [] { ts::yield(); });
      ts::async(ts::named("stuck"), [f = never.get_future()] { f.get(); });
    });
  });
  ASSERT_TRUE(e);
  EXPECT_FALSE(contains(e->what(), "innocent")) << e->what();
  EXPECT_TRUE(contains(e->what(), "stuck")) << e->what();
}

TEST_P(deadlock_test, is_thrown_from_the_wait_of_every_waiting_task) {
  std::atomic<int> thrown{0};
  const auto e = error_of([&] {
    ts::promise<void> never;
    ts::finish([&] {
      for (int i = 0; i < 50; ++i) {
        ts::async([&thrown, f = never.get_future()] {
          if (caught<ts::deadlock_error>([&] { f.get(); })) ++thrown;
        });
      }
    });
  });
  EXPECT_TRUE(e);
  EXPECT_EQ(thrown.load(), 50);
}

TEST_P(deadlock_test, unwinds_the_stacks_of_the_waiting_tasks) {
  struct counted {
    explicit counted(std::atomic<int>& n) : alive(n) { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    ~counted() { --alive; }
    std::atomic<int>& alive;
  };
  std::atomic<int> alive{0};
  EXPECT_TRUE(error_of([&] {
    ts::promise<void> never;
    ts::finish([&] {
      for (int i = 0; i < 50; ++i) {
        ts::async([&alive, f = never.get_future()] {
          const counted here(alive);
          f.get();
        });
      }
    });
  }));
  EXPECT_EQ(alive.load(), 0);
}

TEST_P(deadlock_test, makes_a_further_wait_throw_at_once) {
  int thrown = 0;
  EXPECT_TRUE(error_of([&] {
    ts::promise<void> never;
    for (int i = 0; i < 5; ++i) {
      if (caught<ts::deadlock_error>([&] { never.get_future().get(); })) ++thrown;
    }
  }));
  EXPECT_EQ(thrown, 5);
}

TEST_P(deadlock_test, leaves_values_that_are_there_readable) {
  int got = 0;
  EXPECT_TRUE(error_of([&] {
    ts::promise<void> never;
    EXPECT_TRUE(caught<ts::deadlock_error>([&] { never.get_future().get(); }));
    ts::promise<int> set;
    set.set_value(4);
    got = set.get_future().get();
  }));
  EXPECT_EQ(got, 4);
}

TEST_P(deadlock_test, lets_finish_waits_end_by_themselves) {
  bool inner_ended = false;
  bool outer_ended = false;
  const auto e = error_of([&] {
    ts::promise<void> never;
    try {
      ts::finish([&] {
        ts::async([&, f = never.get_future()] {
          try {
            ts::finish([&] { ts::async([f] { f.get(); }); });
          } catch (const ts::multiple_exceptions& m) {
            inner_ended = true;
            EXPECT_EQ(m.exceptions().size(), 1u);
            EXPECT_THROW(std::rethrow_exception(m.exceptions().front()), ts::deadlock_error);
            throw;
          }
        });
      });
    } catch (const ts::multiple_exceptions&) {
      outer_ended = true;
      throw;
    }
  });
  EXPECT_TRUE(e);
  EXPECT_TRUE(inner_ended);
  EXPECT_TRUE(outer_ended);
}

TEST_P(deadlock_test, leaves_run_unwrapped_although_every_task_caught_its_own) {
  const auto e = error_of([] {
    ts::promise<void> never;
    EXPECT_TRUE(caught<ts::deadlock_error>([&] { never.get_future().get(); }));
  });
  ASSERT_TRUE(e);
  EXPECT_TRUE(e->exceptions().empty());
}

TEST_P(deadlock_test, carries_what_else_escaped) {
  const ts::promise<void> never;  // out here, so that the end of the body does not break it
  const auto e = error_of([&] {
    ts::async([] { throw std::runtime_error("before"); });
    ts::async([f = never.get_future()] {
      if (caught<ts::deadlock_error>([&] { f.get(); })) throw std::runtime_error("while unwinding");
    });
    ts::async([f = never.get_future()] { f.get(); });
  });
  ASSERT_TRUE(e);
  const auto others = ts::multiple_exceptions(e->exceptions()).flattened();
  EXPECT_EQ(support::messages(others), (std::vector<std::string>{"before", "while unwinding"}));
}

TEST_P(deadlock_test, can_be_followed_by_another_run) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(error_of([] {
      ts::promise<int> p;
      static_cast<void>(p.get_future().get());
    }));
    int done = 0;
    run([&] { ts::async([&] { done = 1; }); });
    EXPECT_EQ(done, 1);
  }
}

TEST_P(deadlock_test, of_one_run_does_not_stick_to_its_runtime) {
  ts::runtime rt(support::config_of(GetParam().workers, GetParam().policy));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(caught<ts::deadlock_error>([&] {
      rt.run([] {
        ts::promise<int> p;
        static_cast<void>(p.get_future().get());
      });
    }));
    EXPECT_EQ(rt.run([] { return ts::async_future([] { return 5; }).get(); }), 5);
  }
}

TEST_P(deadlock_test, is_found_among_many_waiters) {
  const std::size_t n = support::scaled(10'000, 100);
  std::atomic<std::size_t> thrown{0};
  const auto e = error_of([&] {
    ts::promise<void> never;
    ts::finish([&] {
      for (std::size_t i = 0; i < n; ++i) {
        ts::async([&thrown, f = never.get_future()] {
          if (caught<ts::deadlock_error>([&] { f.get(); })) ++thrown;
        });
      }
    });
  });
  EXPECT_TRUE(e);
  EXPECT_EQ(thrown.load(), n);
}

TEST_P(deadlock_test, tasks_that_the_unwinding_spawns_still_run) {
  int ran = 0;
  EXPECT_TRUE(error_of([&] {
    ts::promise<void> never;
    if (caught<ts::deadlock_error>([&] { never.get_future().get(); })) {
      ts::finish([&] { ts::async([&] { ran = 1; }); });
    }
  }));
  EXPECT_EQ(ran, 1);
}

class no_deadlock_test : public support::each_setting {};
TACTUS_EACH_SETTING(no_deadlock_test);

TEST_P(no_deadlock_test, while_an_external_promise_is_unset) {
  // Every task waits. The thread is let go only when the tasks have had every occasion to be found stuck.
  std::atomic<bool> waiting{false};
  const ts::promise<void> p(ts::external);
  std::thread outside([&] {
    while (!waiting) std::this_thread::yield();
    std::mutex m;
    std::condition_variable nobody_notifies;
    std::unique_lock lock(m);
    nobody_notifies.wait_for(lock, std::chrono::milliseconds(50));
    p.set_value();
  });
  run([&] {
    ts::finish([&] {
      for (int i = 0; i < 20; ++i) ts::async([f = p.get_future()] { f.get(); });
      waiting = true;
    });
  });
  outside.join();
}

TEST_P(no_deadlock_test, while_any_external_promise_is_unset_that_nobody_waits_for) {
  const ts::promise<void> unrelated(ts::external);
  std::optional<ts::promise<void>> plain(std::in_place);
  std::atomic<bool> waiting{false};
  std::thread outside([&] {
    while (!waiting) std::this_thread::yield();
    unrelated.set_value();
  });
  const auto e = caught<ts::deadlock_error>([&] {
    run([&] {
      waiting = true;
      plain->get_future().get();
    });
  });
  outside.join();
  EXPECT_TRUE(e);
  EXPECT_TRUE(unrelated.get_future().ready());
}

TEST_P(no_deadlock_test, after_the_last_external_promise_broke_the_rest_is_stuck) {
  std::optional<ts::promise<void>> external(std::in_place, ts::external);
  std::atomic<bool> broken{false};
  const auto f = external->get_future();
  std::thread outside;
  const auto e = caught<ts::deadlock_error>([&] {
    run([&] {
      ts::promise<void> plain;
      ts::finish([&] {
        ts::async(ts::named("left alone"), [g = plain.get_future()] { g.get(); });
        ts::async([&, f] {
          if (caught<ts::broken_promise>([&] { f.get(); })) broken = true;
        });
        outside = std::thread([&] { external.reset(); });
      });
    });
  });
  outside.join();
  EXPECT_TRUE(broken);
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), "left alone")) << e->what();
}

TEST_P(no_deadlock_test, while_a_task_computes) {
  run([] {
    ts::promise<void> gate;
    ts::finish([&] {
      for (int i = 0; i < 20; ++i) ts::async([f = gate.get_future()] { f.get(); });
      ts::async([gate] {
        for (int i = 0; i < 200; ++i) std::this_thread::yield();
        gate.set_value();
      });
    });
  });
}

TEST_P(no_deadlock_test, while_a_task_yields) {
  run([] {
    ts::promise<void> gate;
    ts::finish([&] {
      for (int i = 0; i < 20; ++i) ts::async([f = gate.get_future()] { f.get(); });
      for (int i = 0; i < 500; ++i) ts::yield();
      gate.set_value();
    });
  });
}

TEST_P(no_deadlock_test, in_short_runs_that_pass_one_token_around) {
  // At each step all tasks but one wait, and workers go to sleep and are woken all the time.
  for (std::size_t round = 0; round < support::scaled(100, 10); ++round) {
    run([] {
      constexpr std::size_t k_tasks = 5;
      std::vector<ts::promise<int>> ring(k_tasks + 1);
      ts::finish([&] {
        for (std::size_t i = 0; i < k_tasks; ++i) {
          ts::async([from = ring[i].get_future(), to = ring[i + 1]] { to.set_value(from.get() + 1); });
        }
        ring[0].set_value(0);
      });
      EXPECT_EQ(ring[k_tasks].get_future().get(), static_cast<int>(k_tasks));
    });
  }
}

TEST_P(no_deadlock_test, in_short_runs_that_wait_for_threads) {
  for (std::size_t round = 0; round < support::scaled(100, 10); ++round) {
    std::thread outside;
    run([&] {
      const ts::promise<int> p(ts::external);
      outside = std::thread([p] { p.set_value(1); });
      EXPECT_EQ(p.get_future().get(), 1);
    });
    outside.join();
  }
}

}  // namespace
