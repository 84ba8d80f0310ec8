// SPDX-License-Identifier: Apache-2.0
// atomic: one block of the place at a time. What holds for every domain, the place's and a monitor's, is tested here for both.
#include <tactus/tactus.hpp>

#include "atomic_blocks.hpp"
#include "support/caught.hpp"
#include "support/parallel.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;
using support::contains;

class atomic_test : public support::each_setting {};
TACTUS_EACH_SETTING(atomic_test);

TEST(atomic_use_error_test, is_an_error_of_the_library) {
  EXPECT_THROW(throw ts::atomic_use_error("text"), ts::error);
  EXPECT_STREQ(ts::atomic_use_error("text").what(), "text");
}

TEST_P(atomic_test, runs_its_body_once_before_it_returns) {
  run([] {
    int calls = 0;
    ts::atomic([&] { ++calls; });
    EXPECT_EQ(calls, 1);
  });
}

TEST_P(atomic_test, loses_no_update_of_a_plain_variable) {
  const std::size_t n = support::scaled(1'000, 50);
  std::size_t sum = 0;
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&sum] {
        for (int k = 0; k < 5; ++k) ts::atomic([&] { ++sum; });
      });
    }
  });
  EXPECT_EQ(sum, 5 * n);
}

TEST_P(atomic_test, lets_nobody_see_a_half_done_body) {
  const std::size_t n = support::scaled(400, 40);
  long left = 1'000'000;
  long right = 0;
  std::size_t torn = 0;
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&, amount = static_cast<long>(i)] {
        ts::atomic([&] {
          left -= amount;
          if (amount % 8 == 0) std::this_thread::yield();
          right += amount;
        });
        ts::atomic([&] {
          if (left + right != 1'000'000) ++torn;
        });
      });
    }
  });
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(left + right, 1'000'000);
}

TEST_P(atomic_test, shows_the_next_block_what_the_last_one_wrote) {
  const std::size_t n = support::scaled(300, 30);
  std::vector<std::size_t> log;
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&log] { ts::atomic([&] { log.push_back(log.empty() ? 1 : log.back() + 1); }); });
    }
  });
  ASSERT_EQ(log.size(), n);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(log[i], i + 1);
}

TEST_P(atomic_test, inside_atomic_is_plain_nesting) {
  run([] {
    int depth = 0;
    ts::atomic([&] {
      ++depth;
      ts::atomic([&] {
        ++depth;
        ts::atomic([&] { ++depth; });
      });
      ++depth;
    });
    EXPECT_EQ(depth, 4);
  });
}

TEST_P(atomic_test, inner_block_does_not_let_others_in_when_it_ends) {
  const std::size_t n = support::scaled(200, 20);
  int inside = 0;
  int most = 0;
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&] {
        ts::atomic([&] {
          ++inside;
          ts::atomic([] {});
          std::this_thread::yield();
          if (inside > most) most = inside;
          --inside;
        });
      });
    }
  });
  EXPECT_EQ(most, 1);
}

TEST_P(atomic_test, an_exception_propagates_and_releases_the_lock) {
  run([] {
    int after = 0;
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(caught<std::out_of_range>([] { ts::atomic([] { throw std::out_of_range("body"); }); }));
      ts::finish([&] { ts::async([&] { ts::atomic([&] { ++after; }); }); });
    }
    EXPECT_EQ(after, 20);
  });
}

TEST_P(atomic_test, an_exception_in_an_inner_block_keeps_the_outer_one_closed) {
  const std::size_t n = support::scaled(200, 20);
  int inside = 0;
  int most = 0;
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&] {
        ts::atomic([&] {
          ++inside;
          try {
            ts::atomic([] { throw std::runtime_error("inner"); });
          } catch (const std::runtime_error&) {
            std::this_thread::yield();
          }
          if (inside > most) most = inside;
          --inside;
        });
      });
    }
  });
  EXPECT_EQ(most, 1);
}

TEST_P(atomic_test, an_exception_in_a_task_reaches_its_finish) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>(
        [] { ts::finish([] { ts::async([] { ts::atomic([] { throw std::runtime_error("block"); }); }); }); });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()), std::vector<std::string>{"block"});
  });
}

TEST_P(atomic_test, inside_catch_keeps_the_exception) {
  run([] {
    for (int i = 0; i < 40; ++i) {
      ts::async([i] {
        const std::string mine = "exception " + std::to_string(i);
        try {
          throw std::runtime_error(mine);
        } catch (const std::runtime_error& e) {
          ts::atomic([] { std::this_thread::yield(); });
          EXPECT_EQ(e.what(), mine);
          EXPECT_EQ(support::message(std::current_exception()), mine);
        }
      });
    }
  });
}

TEST_P(atomic_test, works_in_elements_of_for_each) {
  const int n = static_cast<int>(support::scaled(1'000, 50));
  int sum = 0;
  run([&] { ts::for_each(0, n, [&](int) { ts::atomic([&] { ++sum; }); }); });
  EXPECT_EQ(sum, n);
}

TEST_P(atomic_test, works_in_clocked_tasks_between_their_phases) {
  int sum = 0;
  run([&] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < 10; ++i) {
      ts::async(ts::clocked(c), [&sum, c] {
        for (int k = 1; k <= 10; ++k) {
          ts::atomic([&] { ++sum; });
          c.advance();
          EXPECT_EQ(sum, 10 * k);
          c.advance();
        }
      });
    }
  });
  EXPECT_EQ(sum, 100);
}

TEST_P(atomic_test, may_set_a_promise) {
  run([] {
    const ts::promise<int> p;
    ts::async([f = p.get_future()] { EXPECT_EQ(f.get(), 3); });
    ts::atomic([&] { p.set_value(3); });
  });
}

TEST_P(atomic_test, may_ask_for_the_phase_and_the_registration_of_the_task) {
  run([] {
    const ts::clock c = ts::clock::make();
    c.advance();
    ts::atomic([&] {
      EXPECT_TRUE(c.registered());
      EXPECT_FALSE(c.dropped());
      EXPECT_EQ(c.phase(), 1u);
    });
  });
}

// ---- misuse ----

TEST_P(atomic_test, body_may_not_spawn_wait_signal_register_or_drop) {
  run([] {
    const blocks::material m;
    ts::atomic([&] { blocks::expect_each_forbidden(m); });
    blocks::expect_unharmed(m);
  });
}

TEST_P(atomic_test, inner_body_may_not_either) {
  run([] {
    const blocks::material m;
    ts::atomic([&] {
      ts::atomic([&] { blocks::expect_each_forbidden(m); });
      blocks::expect_each_forbidden(m);
    });
    blocks::expect_unharmed(m);
  });
}

TEST_P(atomic_test, after_a_body_that_threw_everything_is_allowed_again) {
  run([] {
    const blocks::material m;
    EXPECT_TRUE(caught<std::runtime_error>([] { ts::atomic([] { throw std::runtime_error("body"); }); }));
    blocks::expect_unharmed(m);
  });
}

TEST_P(atomic_test, a_misuse_that_escapes_releases_the_lock_like_any_exception) {
  run([] {
    const blocks::material m;
    EXPECT_TRUE(caught<ts::atomic_use_error>([] { ts::atomic([] { ts::yield(); }); }));
    blocks::expect_unharmed(m);
  });
}

TEST_P(atomic_test, of_one_task_forbids_nothing_to_another) {
  // The block is open on one worker, or between two steps of one, while the other tasks do all that it may not.
  run([] {
    for (int i = 0; i < 20; ++i) {
      ts::async([] { ts::atomic([] { std::this_thread::yield(); }); });
      ts::async([] {
        const blocks::material m;
        ts::finish([] { ts::async([] { ts::yield(); }); });
        m.clock.advance();
      });
    }
  });
}

TEST(atomic_outside_tasks_test, throws_usage_error_and_runs_nothing) {
  bool ran = false;
  const auto expect_refused = [&] {
    const auto e = caught<ts::usage_error>([&] { ts::atomic([&] { ran = true; }); });
    ASSERT_TRUE(e);
    EXPECT_TRUE(contains(e->what(), "atomic")) << e->what();
  };
  expect_refused();
  ts::run(support::config_of(2), [&] { std::thread(expect_refused).join(); });
  EXPECT_FALSE(ran);
}

TEST(atomic_seeded_test, loses_no_update_under_any_of_200_seeds) {
  for (std::uint64_t seed = 1; seed <= support::scaled(200, 10); ++seed) {
    int sum = 0;
    ts::run(support::seeded_config_of(seed, 4), [&] {
      for (int i = 0; i < 8; ++i) {
        ts::async([&sum] {
          for (int k = 0; k < 3; ++k) {
            ts::atomic([&] { ++sum; });
            ts::yield();
          }
        });
      }
    });
    ASSERT_EQ(sum, 24) << "seed " << seed;
  }
}

// Tests in which two tasks must run at one time.
class parallel_atomic_test : public support::each_setting {};
TACTUS_EACH_PARALLEL_SETTING(parallel_atomic_test);

TEST_P(parallel_atomic_test, a_task_that_waits_for_the_lock_frees_its_worker) {
  // One task holds the lock and its worker; twice as many as there are workers wait for the lock. The task that ends it all
  // does so only when every one of them has come as far as the lock, so none of them may keep its worker.
  run([] {
    const int waiters = 2 * GetParam().workers;
    support::event holding;
    support::event release;
    std::atomic<int> started{0};
    int blocks = 0;
    ts::finish([&] {
      ts::async(ts::spawn_policy::help_first, [&] {
        ts::atomic([&] {
          holding.set();
          release.await();
          ++blocks;
        });
      });
      holding.await();
      for (int i = 0; i < waiters; ++i) {
        ts::async(ts::spawn_policy::help_first, [&] {
          ++started;
          ts::atomic([&] { ++blocks; });
        });
      }
      ts::async(ts::spawn_policy::help_first, [&] {
        while (started != waiters) ts::yield();
        release.set();
      });
    });
    EXPECT_EQ(blocks, waiters + 1);
  });
}

TEST_P(parallel_atomic_test, nobody_starves_while_others_take_the_lock_again_and_again) {
  // Blocks long enough that there is always somebody who waits for the lock, and who has come later.
  static constexpr int k_most_rounds = 200'000;  // would take seconds; some hundred are usual
  std::atomic<bool> got_in{false};
  std::atomic<int> rounds{0};
  std::atomic<int> time_spent{0};
  run([&] {
    const int hogs = GetParam().workers + 3;
    for (int i = 0; i < hogs; ++i) {
      ts::async([&] {
        while (!got_in && rounds < k_most_rounds) {
          ts::atomic([&] {
            ++rounds;
            for (int k = 0; k < 1'000; ++k) ++time_spent;
          });
        }
      });
    }
    ts::async([&] {
      for (int k = 0; k < 20; ++k) ts::atomic([] {});
      got_in = true;
    });
  });
  EXPECT_TRUE(got_in);
  EXPECT_LT(rounds.load(), k_most_rounds);
}

// ---- order ----

// One worker, on which each task runs as far as it comes before the next one is spawned. The lock is held by a task
// that has been given it and has not run since.
class order_of_blocks_test : public testing::TestWithParam<bool> {
protected:
  template <class Body>
  void atomic(Body body) {
    GetParam() ? domain_.atomic(body) : ts::atomic(body);
  }
  template <class Condition, class Body>
  void when(Condition condition, Body body) {
    GetParam() ? domain_.when(condition, body) : ts::when(condition, body);
  }
  static ts::config one_worker() { return support::config_of(1, ts::spawn_policy::work_first); }

  // Comes to the lock, and tells so and when it is inside.
  void spawn_comer(char name) {
    ts::async([this, name] {
      order += static_cast<char>(name - 'a' + 'A');
      atomic([this, name] { order += name; });
    });
  }

  std::string order;

private:
  ts::monitor domain_;
};
INSTANTIATE_TEST_SUITE_P(of, order_of_blocks_test, testing::Bool(),
                         [](const auto& chosen) { return std::string(chosen.param ? "monitor" : "place"); });

TEST_P(order_of_blocks_test, is_that_in_which_tasks_came_to_the_lock) {
  bool open = false;
  ts::run(one_worker(), [&] {
    ts::async([&] { when([&] { return open; }, [&] { order += 'w'; }); });
    atomic([&] { open = true; });  // the lock is w's from here on
    for (const char name : {'a', 'b', 'c', 'd', 'e'}) spawn_comer(name);
  });
  EXPECT_EQ(order, "ABCDEwabcde");
}

TEST_P(order_of_blocks_test, lets_who_waits_for_the_lock_in_between_those_whose_conditions_hold) {
  bool open = false;
  ts::run(one_worker(), [&] {
    for (const char name : {'1', '2', '3', '4'}) {
      ts::async([&, name] { when([&] { return open; }, [&, name] { order += name; }); });
    }
    atomic([&] { open = true; });  // the lock is that of the first
    for (const char name : {'a', 'b', 'c'}) spawn_comer(name);
  });
  EXPECT_EQ(order, "ABC1a2b3c4");
}

TEST_P(order_of_blocks_test, of_tasks_that_wait_for_one_condition_is_that_in_which_they_came) {
  int tokens = 0;
  ts::run(one_worker(), [&] {
    for (const char name : {'1', '2', '3', '4'}) {
      ts::async([&, name] {
        when([&] { return tokens > 0; },
             [&, name] {
               --tokens;
               order += name;
             });
      });
    }
    for (int i = 0; i < 4; ++i) atomic([&] { ++tokens; });
  });
  EXPECT_EQ(order, "1234");
}

TEST_P(order_of_blocks_test, puts_who_was_woken_in_vain_before_those_who_came_later) {
  // The second worker is kept until the lock, which 'a' was woken for, has been given to 'v'. Then it takes the oldest
  // of what is ready first: 'a', which finds the lock taken, and after it 'v'.
  ts::run(support::config_of(2, ts::spawn_policy::work_first), [&] {
    support::event second_is_here;
    support::event go;
    support::event v_is_through;
    bool open_w = false;
    bool open_v = false;
    ts::finish([&] {
      ts::async(ts::spawn_policy::help_first, [&] {
        second_is_here.set();
        go.await();
      });
      second_is_here.await();
      ts::async([&] {
        when([&] { return open_v; }, [&] { order += 'v'; });
        v_is_through.set();
      });
      ts::async([&] {
        when([&] { return open_w; }, [&] { order += 'w'; });  // its end wakes 'a'
        atomic([&] { open_v = true; });
        go.set();
        v_is_through.await();  // keeps the first worker
      });
      atomic([&] { open_w = true; });
      for (const char name : {'a', 'b', 'c'}) spawn_comer(name);
    });
  });
  EXPECT_EQ(order, "ABCwvabc");
}

}  // namespace
