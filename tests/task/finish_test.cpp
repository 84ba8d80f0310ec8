// SPDX-License-Identifier: Apache-2.0
// finish: what it returns, what it waits for, and what it does not wait for.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

class finish_test : public support::each_setting {};
TACTUS_EACH_SETTING(finish_test);

TEST_P(finish_test, returns_the_value_of_its_body) {
  run([] { EXPECT_EQ(ts::finish([] { return std::string("value"); }), "value"); });
}

TEST_P(finish_test, of_a_void_body_returns_nothing) {
  static_assert(std::is_void_v<decltype(ts::finish([] {}))>);
  int calls = 0;
  run([&] { ts::finish([&] { ++calls; }); });
  EXPECT_EQ(calls, 1);
}

TEST_P(finish_test, moves_a_move_only_value_out) {
  run([] {
    const std::unique_ptr<int> p = ts::finish([] { return std::make_unique<int>(7); });
    EXPECT_EQ(*p, 7);
  });
}

TEST_P(finish_test, returns_a_value_without_a_default_constructor) {
  struct number {
    explicit number(int v) : value(v) {}
    int value;
  };
  run([] { EXPECT_EQ(ts::finish([] { return number(5); }).value, 5); });
}

TEST_P(finish_test, keeps_the_value_while_tasks_run_and_destroys_it_once) {
  struct counted {
    explicit counted(std::atomic<int>* alive) : alive_(alive) { ++*alive_; }
    counted(const counted& other) : alive_(other.alive_) { ++*alive_; }
    counted& operator=(const counted&) = delete;
    ~counted() { --*alive_; }
    std::atomic<int>* alive_;
  };
  std::atomic<int> alive{0};
  std::atomic<int> in_task{0};
  run([&] {
    {
      const counted kept = ts::finish([&] {
        for (int i = 0; i < 20; ++i) ts::async([&] { ++in_task; });
        return counted(&alive);
      });
      EXPECT_EQ(alive.load(), 1);
    }
    EXPECT_EQ(alive.load(), 0);
  });
  EXPECT_EQ(in_task.load(), 20);
}

TEST_P(finish_test, without_tasks_returns_at_once) {
  run([] {
    for (int i = 0; i < 1'000; ++i) EXPECT_EQ(ts::finish([i] { return i; }), i);
  });
}

TEST_P(finish_test, sees_everything_its_tasks_wrote) {
  const std::size_t n = support::scaled(5'000, 100);
  std::vector<std::size_t> cells(n, 0);
  run([&] {
    for (std::size_t round = 1; round <= 5; ++round) {
      ts::finish([&] {
        for (std::size_t i = 0; i < n; ++i) ts::async([&cells, i, round] { cells[i] += i * round; });
      });
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(cells[i], i * round * (round + 1) / 2);
    }
  });
}

TEST_P(finish_test, waits_transitively_through_tasks_that_have_ended) {
  std::atomic<int> done{0};
  run([&] {
    ts::finish([&] {
      ts::async([&] {
        ts::async([&] {
          ts::async([&] {
            ts::yield();
            ++done;
          });
        });
      });
    });
    EXPECT_EQ(done.load(), 1);
  });
}

TEST_P(finish_test, does_not_wait_for_tasks_spawned_outside_it) {
  // If the inner finish waited for the outer task, nobody would ever set the promise.
  int after = 0;
  run([&] {
    ts::promise<int> gate;
    ts::finish([&] {
      ts::async([&after, opened = gate.get_future()] { after = opened.get(); });
      ts::finish([] { ts::async([] {}); });
      gate.set_value(3);
    });
    EXPECT_EQ(after, 3);
  });
}

TEST_P(finish_test, an_inner_finish_joins_its_own_tasks_only) {
  run([&] {
    ts::promise<void> gate;
    std::atomic<int> inner{0};
    std::atomic<int> outer{0};
    ts::finish([&] {
      for (int i = 0; i < 10; ++i) {
        ts::async([&outer, opened = gate.get_future()] {
          opened.get();
          ++outer;
        });
        ts::finish([&] { ts::async([&] { ts::async([&] { ++inner; }); }); });
        EXPECT_EQ(inner.load(), i + 1);
        EXPECT_EQ(outer.load(), 0);
      }
      gate.set_value();
    });
    EXPECT_EQ(outer.load(), 10);
  });
}

TEST_P(finish_test, in_a_task_joins_that_tasks_children) {
  std::atomic<int> wrong{0};
  run([&] {
    for (int i = 0; i < 50; ++i) {
      ts::async([&wrong] {
        std::atomic<int> mine{0};
        ts::finish([&] {
          for (int k = 0; k < 20; ++k) ts::async([&mine] { ++mine; });
        });
        if (mine != 20) ++wrong;
      });
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(finish_test, leaves_the_enclosing_finish_in_force_when_it_ends) {
  int late = 0;
  run([&] {
    ts::finish([&] {
      ts::finish([] { ts::async([] {}); });
      ts::async([&] {
        ts::yield();
        late = 1;
      });
    });
    EXPECT_EQ(late, 1);
  });
}

TEST_P(finish_test, nests_a_thousand_deep) {
  struct nest {
    static int down(int left) {
      if (left == 0) return 0;
      return 1 + ts::finish([left] {
               ts::async([] {});
               return down(left - 1);
             });
    }
  };
  run([] { EXPECT_EQ(nest::down(1'000), 1'000); });
}

TEST_P(finish_test, that_waits_frees_its_worker) {
  // The waiting task's children wait for a promise that only a later task sets: with one worker somebody must step aside.
  int got = 0;
  run([&] {
    ts::promise<int> gate;
    ts::async([&got, opened = gate.get_future()] {
      ts::finish([&] { ts::async([&] { got = opened.get(); }); });
      ++got;
    });
    ts::async([gate] { gate.set_value(41); });
  });
  EXPECT_EQ(got, 42);
}

TEST_P(finish_test, a_parked_task_keeps_it_open_while_its_owner_has_nothing_left) {
  // X stays with the root's finish while A, of the inner finish, parks and is set free by X's end.
  for (int round = 0; round < 50; ++round) {
    run([] {
      ts::promise<void> gate;
      int a = 0;
      ts::finish([&] {
        ts::async([gate] { gate.set_value(); });
        ts::finish([&] {
          ts::async([&a, opened = gate.get_future()] {
            opened.get();
            a = 1;
          });
        });
        EXPECT_EQ(a, 1);
      });
    });
  }
}

TEST_P(finish_test, code_after_a_sequential_call_may_run_beside_the_task_that_escaped_from_it) {
  // Figure 5 of the work-stealing paper: B calls C plainly, C spawns D, D calls E plainly, E spawns F.
  std::array<std::atomic<bool>, 6> ran{};
  run([&] {
    ts::promise<void> after_call;
    const auto f = [&](const ts::future<void>& passed) {
      passed.get();  // if the call of C waited for its escaping tasks, this would never pass
      ran[5] = true;
    };
    const auto e = [&] {
      ts::async([&f, passed = after_call.get_future()] { f(passed); });
      ran[4] = true;
    };
    const auto d = [&] {
      e();
      ran[3] = true;
    };
    const auto c = [&] {
      ts::async(d);
      ran[2] = true;
    };
    const auto b = [&] {
      c();
      after_call.set_value();
      ran[1] = true;
    };
    ts::finish([&] {
      b();
      ran[0] = true;
    });
    for (const auto& r : ran) EXPECT_TRUE(r);
  });
}

TEST_P(finish_test, ten_thousand_in_a_row_each_join_their_task) {
  run([] {
    std::size_t sum = 0;
    const std::size_t n = support::scaled(10'000);
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t one = 0;
      ts::finish([&] { ts::async([&] { one = 1; }); });
      sum += one;
    }
    EXPECT_EQ(sum, n);
  });
}

TEST_P(finish_test, many_run_at_one_time_in_many_tasks) {
  std::atomic<std::size_t> sum{0};
  const std::size_t n = support::scaled(500, 20);
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&] {
        for (int k = 0; k < 4; ++k) {
          std::atomic<std::size_t> mine{0};
          ts::finish([&] {
            ts::async([&] {
              ts::yield();
              ts::async([&] { ++mine; });
            });
            ts::async([&] { ++mine; });
          });
          sum += mine;
        }
      });
    }
  });
  EXPECT_EQ(sum.load(), n * 8);
}

}  // namespace
