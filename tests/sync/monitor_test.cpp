// SPDX-License-Identifier: Apache-2.0
// monitor: atomic and when with a lock of its own, that neither the place nor another monitor contends for.
#include <tactus/tactus.hpp>

#include "atomic_blocks.hpp"
#include "support/caught.hpp"
#include "support/parallel.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;
using support::contains;

class monitor_test : public support::each_setting {};
TACTUS_EACH_SETTING(monitor_test);

TEST_P(monitor_test, loses_no_update) {
  const std::size_t n = support::scaled(1'000, 50);
  std::size_t sum = 0;
  run([&] {
    ts::monitor m;
    ts::finish([&] {
      for (std::size_t i = 0; i < n; ++i) {
        ts::async([&] { m.atomic([&] { ++sum; }); });
      }
    });
  });
  EXPECT_EQ(sum, n);
}

TEST_P(monitor_test, many_of_them_guard_what_is_theirs) {
  struct account {
    ts::monitor m;
    int balance = 0;
  };
  std::array<account, 8> accounts;
  const std::size_t n = support::scaled(800, 80);
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&a = accounts[i % 8]] { a.m.atomic([&] { ++a.balance; }); });
    }
  });
  for (const account& a : accounts) EXPECT_EQ(a.balance, static_cast<int>(n / 8));
}

TEST_P(monitor_test, when_waits_for_a_block_of_the_same_monitor) {
  run([] {
    ts::monitor m;
    int turn = 0;
    ts::finish([&] {
      for (int i = 40; i-- > 0;) {
        ts::async([&, i] { m.when([&, i] { return turn == i; }, [&] { ++turn; }); });
      }
    });
    EXPECT_EQ(turn, 40);
  });
}

TEST_P(monitor_test, when_does_not_look_at_blocks_of_other_domains) {
  run([] {
    ts::monitor m;
    ts::monitor other;
    std::atomic<int> looks{0};
    bool open = false;
    ts::finish([&] {
      ts::async([&] {
        m.when(
            [&] {
              ++looks;
              return open;
            },
            [] {});
      });
      while (looks == 0) ts::yield();
      for (int i = 0; i < 1'000; ++i) {
        ts::atomic([] {});
        other.atomic([] {});
        other.when([] { return true; }, [] {});
      }
      m.atomic([&] { open = true; });
    });
    EXPECT_LE(looks.load(), 4);
  });
}

TEST_P(monitor_test, inside_itself_is_plain_nesting) {
  run([] {
    ts::monitor m;
    int depth = 0;
    m.atomic([&] {
      ++depth;
      m.atomic([&] { ++depth; });
      ++depth;
    });
    m.when([] { return true; }, [&] { m.atomic([&] { ++depth; }); });
    EXPECT_EQ(depth, 4);
  });
}

TEST_P(monitor_test, inside_others_and_inside_atomic_keeps_all_of_them_closed) {
  const std::size_t n = support::scaled(300, 30);
  int by_a = 0;
  int by_b = 0;
  int by_place = 0;
  run([&] {
    ts::monitor a;
    ts::monitor b;
    ts::finish([&] {
      for (std::size_t i = 0; i < n; ++i) {
        ts::async([&] {
          a.atomic([&] {
            ++by_a;
            b.atomic([&] {
              ++by_b;
              ts::atomic([&] { ++by_place; });
              ++by_b;
            });
            ++by_a;
          });
        });
        ts::async([&] { b.atomic([&] { ++by_b; }); });
        ts::async([&] { a.atomic([&] { ++by_a; }); });
        ts::async([&] { ts::atomic([&] { ++by_place; }); });
      }
    });
  });
  const int count = static_cast<int>(n);
  EXPECT_EQ(by_a, 3 * count);
  EXPECT_EQ(by_b, 3 * count);
  EXPECT_EQ(by_place, 2 * count);
}

TEST_P(monitor_test, may_be_entered_inside_atomic) {
  run([] {
    ts::monitor m;
    int calls = 0;
    ts::atomic([&] { m.atomic([&] { ++calls; }); });
    ts::when([] { return true; }, [&] { m.atomic([&] { ++calls; }); });
    EXPECT_EQ(calls, 2);
  });
}

TEST_P(monitor_test, outer_block_still_forbids_after_an_inner_one_of_another_monitor_has_ended) {
  run([] {
    ts::monitor a;
    ts::monitor b;
    const blocks::material m;
    a.atomic([&] {
      b.atomic([] {});
      blocks::expect_each_forbidden(m);
    });
    blocks::expect_unharmed(m);
  });
}

TEST_P(monitor_test, an_exception_releases_every_monitor_that_it_leaves) {
  run([] {
    ts::monitor a;
    ts::monitor b;
    int after = 0;
    EXPECT_TRUE(
        caught<std::out_of_range>([&] { a.atomic([&] { b.atomic([] { throw std::out_of_range("inner"); }); }); }));
    ts::finish([&] { ts::async([&] { a.atomic([&] { ++after; }); }); });
    ts::finish([&] { ts::async([&] { b.atomic([&] { ++after; }); }); });
    EXPECT_EQ(after, 2);
  });
}

TEST_P(monitor_test, an_exception_caught_in_the_outer_block_releases_the_inner_monitor_only) {
  const std::size_t n = support::scaled(200, 20);
  int inside = 0;
  int most = 0;
  int inner = 0;
  run([&] {
    ts::monitor a;
    ts::monitor b;
    ts::finish([&] {
      for (std::size_t i = 0; i < n; ++i) {
        ts::async([&] {
          a.atomic([&] {
            ++inside;
            EXPECT_TRUE(caught<std::runtime_error>([&] {
              b.atomic([&] {
                ++inner;
                throw std::runtime_error("inner");
              });
            }));
            std::this_thread::yield();
            if (inside > most) most = inside;
            --inside;
          });
        });
        ts::async([&] { b.atomic([&] { ++inner; }); });
      }
    });
  });
  EXPECT_EQ(most, 1);
  EXPECT_EQ(inner, static_cast<int>(2 * n));
}

TEST_P(monitor_test, can_be_made_and_destroyed_anywhere_and_used_in_several_runs) {
  auto m = std::make_unique<ts::monitor>();
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    run([&] {
      ts::finish([&] {
        for (int k = 0; k < 10; ++k) {
          ts::async([&] { m->atomic([&] { ++sum; }); });
        }
      });
    });
  }
  std::thread([&] { m.reset(); }).join();
  EXPECT_EQ(sum, 30);
}

// ---- misuse ----

TEST_P(monitor_test, body_of_atomic_may_not_spawn_wait_signal_register_or_drop) {
  run([] {
    ts::monitor mine;
    const blocks::material m;
    mine.atomic([&] { blocks::expect_each_forbidden(m); });
    blocks::expect_unharmed(m);
  });
}

TEST_P(monitor_test, condition_and_body_of_when_may_not_either) {
  run([] {
    ts::monitor mine;
    const blocks::material m;
    int calls = 0;
    mine.when(
        [&] {
          blocks::expect_each_forbidden(m);
          return true;
        },
        [&] {
          blocks::expect_each_forbidden(m);
          ++calls;
        });
    EXPECT_EQ(calls, 1);
    blocks::expect_unharmed(m);
  });
}

TEST_P(monitor_test, a_condition_may_not_enter_another_one) {
  run([] {
    ts::monitor outer;
    ts::monitor inner;
    int n = 0;
    const auto enter = [&] { return inner.atomic([&] { return ++n; }) != 0; };
    EXPECT_THROW(outer.when(enter, [&] { ++n; }), ts::atomic_use_error);
    EXPECT_THROW(ts::when(enter, [&] { ++n; }), ts::atomic_use_error);
    EXPECT_EQ(n, 0);
    // Its own is open already.
    EXPECT_EQ(outer.when([&] { return outer.atomic([] { return true; }); }, [] { return 7; }), 7);
    outer.atomic([&] { inner.atomic([&] { ++n; }); });
    EXPECT_EQ(n, 1);
  });
}

// Where nothing may wait; `why` is what its complaints say.
void expect_every_block_refused(ts::monitor& m, const std::string& why) {
  const auto expect_refused = [&why](const std::string& call, const auto& enter) {
    const auto e = caught<ts::usage_error>(enter);
    ASSERT_TRUE(e) << call;
    EXPECT_TRUE(contains(e->what(), "tactus::" + call + " was called ")) << e->what();
    EXPECT_TRUE(contains(e->what(), why)) << e->what();
  };
  const auto holds = [] { return true; };
  const auto body = [] { ADD_FAILURE() << "a block"; };
  expect_refused("atomic", [&] { ts::atomic(body); });
  expect_refused("when", [&] { ts::when(holds, body); });
  expect_refused("monitor::atomic", [&] { m.atomic(body); });
  expect_refused("monitor::when", [&] { m.when(holds, body); });
}

// In send, and where the phase turns: on the stack of a task, or of a worker that has just ended one.
TEST_P(monitor_test, may_not_be_entered_in_the_function_of_an_accumulator) {
  for (const ts::strategy how : {ts::strategy::eager, ts::strategy::dynamic_lazy, ts::strategy::per_worker}) {
    std::atomic<int> calls{0};
    run([&] {
      ts::monitor m;
      ts::finish([&] {
        const ts::phaser ph;
        const auto add = [&](int a, int b) {
          ++calls;
          expect_every_block_refused(m, "in the function with which an accumulator combines");
          return a + b;
        };
        const ts::accumulator<int, ts::monoid<int, decltype(add)>> sum(ph, ts::monoid{0, add}, how);
        for (int i = 0; i < 10; ++i) {
          ts::async(ts::phased(ph), [ph, sum] {
            sum.send(1);
            sum.send(2);
            ph.next();
            EXPECT_EQ(sum.result(), 30);
            sum.send(3);
          });
        }
        ph.next();
        ph.next();
        EXPECT_EQ(sum.result(), 30);
      });
    });
    EXPECT_GE(calls.load(), 19);
  }
}

TEST_P(monitor_test, may_not_be_entered_inside_of_a_call_of_mpi) {
  run([] {
    ts::monitor m;
    {
      const ts::detail::restricted_scope as_there(ts::detail::restriction::in_mpi_call);
      expect_every_block_refused(m, "inside of tactus::mpi::call");
    }
    m.atomic([&m] {
      const ts::detail::restricted_scope as_there(ts::detail::restriction::in_mpi_call);
      expect_every_block_refused(m, "inside of tactus::mpi::call");
    });
    EXPECT_EQ(m.atomic([] { return 7; }), 7);
  });
}

TEST_P(monitor_test, a_condition_that_is_looked_at_again_may_not_either) {
  run([] {
    ts::monitor outer;
    ts::monitor inner;
    bool open = false;
    ts::finish([&] {
      ts::async([&] {
        const auto enter = [&] { return open && inner.atomic([] { return true; }); };
        EXPECT_THROW(outer.when(enter, [] {}), ts::atomic_use_error);
      });
      ts::yield();
      outer.atomic([&] { open = true; });
    });
    EXPECT_EQ(outer.atomic([] { return 5; }), 5);
  });
}

TEST_P(monitor_test, a_thousand_tasks_that_want_in_all_the_time_all_get_in) {
  const int tasks = static_cast<int>(support::scaled(1'000));
  run([&] {
    ts::monitor m;
    int inside = 0;
    int turn = 0;
    ts::finish([&] {
      for (int i = 0; i < tasks; ++i) {
        ts::async([&, i] {
          for (int k = 0; k < 20; ++k) {
            m.atomic([&] { ++inside; });
            if (i % 64 == k) ts::yield();
          }
          if (i < 8) m.when([&] { return turn == i; }, [&] { ++turn; });
        });
      }
    });
    EXPECT_EQ(inside, 20 * tasks);
    EXPECT_EQ(turn, 8);
  });
}

TEST_P(monitor_test, when_inside_a_block_of_the_same_monitor_is_refused) {
  run([] {
    ts::monitor m;
    bool ran = false;
    m.atomic([&] {
      const auto e = caught<ts::atomic_use_error>([&] { m.when([] { return true; }, [&] { ran = true; }); });
      ASSERT_TRUE(e);
      EXPECT_TRUE(contains(e->what(), "when")) << e->what();
    });
    EXPECT_FALSE(ran);
    m.when([] { return true; }, [&] { ran = true; });
    EXPECT_TRUE(ran);
  });
}

TEST(monitor_outside_tasks_test, throws_usage_error_and_runs_nothing) {
  ts::monitor m;
  bool ran = false;
  const auto expect_refused = [&] {
    const auto a = caught<ts::usage_error>([&] { m.atomic([&] { ran = true; }); });
    ASSERT_TRUE(a);
    EXPECT_TRUE(contains(a->what(), "atomic")) << a->what();
    const auto w = caught<ts::usage_error>([&] { m.when([&] { return ran = true; }, [&] { ran = true; }); });
    ASSERT_TRUE(w);
    EXPECT_TRUE(contains(w->what(), "when")) << w->what();
  };
  expect_refused();
  ts::run(support::config_of(2), [&] { std::thread(expect_refused).join(); });
  EXPECT_FALSE(ran);
}

// ---- deadlock ----

TEST_P(monitor_test, when_that_nobody_sets_free_is_a_deadlock_that_names_task_when_and_monitor) {
  const auto e = caught<ts::deadlock_error>([] {
    run([] {
      ts::monitor m;
      ts::finish([&] { ts::async(ts::named("hopeful"), [&] { m.when([] { return false; }, [] {}); }); });
    });
  });
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), "task 'hopeful' waits for")) << e->what();
  EXPECT_TRUE(contains(e->what(), "when")) << e->what();
  EXPECT_TRUE(contains(e->what(), "monitor")) << e->what();
}

TEST_P(monitor_test, deadlock_leaves_it_usable) {
  ts::monitor m;
  for (int i = 0; i < 3; ++i) {
    int blocks = 0;
    EXPECT_TRUE(caught<ts::deadlock_error>([&] {
      run([&] {
        ts::finish([&] {
          ts::async([&] {
            EXPECT_TRUE(caught<ts::deadlock_error>([&] { m.when([] { return false; }, [] {}); }));
            m.atomic([&] { ++blocks; });
          });
        });
      });
    }));
    run([&] { m.when([] { return true; }, [&] { ++blocks; }); });
    EXPECT_EQ(blocks, 2);
  }
}

// Tests in which two tasks must run at one time.
class parallel_monitor_test : public support::each_setting {};
TACTUS_EACH_PARALLEL_SETTING(parallel_monitor_test);

// Runs the two, each on a worker of its own from the start on.
template <class F, class G>
void run_both(F f, G g) {
  support::event other_runs;
  ts::finish([&] {
    ts::async(ts::spawn_policy::help_first, [&] {
      other_runs.set();
      g();
    });
    other_runs.await();
    f();
  });
}

TEST_P(parallel_monitor_test, two_of_them_are_entered_at_one_time) {
  run([] {
    ts::monitor a;
    ts::monitor b;
    support::event in_a;
    support::event in_b;
    run_both(
        [&] {
          a.atomic([&] {
            in_a.set();
            in_b.await();
          });
        },
        [&] {
          b.atomic([&] {
            in_b.set();
            in_a.await();
          });
        });
  });
}

TEST_P(parallel_monitor_test, one_is_entered_while_a_block_of_the_place_runs) {
  run([] {
    ts::monitor m;
    support::event in_place;
    support::event in_monitor;
    run_both(
        [&] {
          ts::atomic([&] {
            in_place.set();
            in_monitor.await();
          });
        },
        [&] {
          m.when([] { return true; },
                 [&] {
                   in_monitor.set();
                   in_place.await();
                 });
        });
  });
}

TEST_P(parallel_monitor_test, a_clock_moves_while_a_block_runs) {
  run([] {
    support::event in_block;
    support::event advanced;
    run_both(
        [&] {
          ts::atomic([&] {
            in_block.set();
            advanced.await();
          });
        },
        [&] {
          in_block.await();
          const ts::clock c = ts::clock::make();
          ts::async(ts::clocked(c), [c] { c.advance(); });
          c.advance();
          advanced.set();
        });
  });
}

TEST_P(parallel_monitor_test, waiting_for_one_inside_another_suspends_the_task_and_keeps_the_outer_one) {
  // The holder of b keeps a worker. The nested task waits for b while it holds a; a third one waits for a; a fourth must
  // still find a worker, and lets b go only then.
  run([] {
    ts::monitor a;
    ts::monitor b;
    support::event b_held;
    support::event b_may_go;
    std::atomic<bool> in_a{false};
    std::atomic<bool> third_came{false};
    std::vector<std::string> order;
    ts::finish([&] {
      ts::async(ts::spawn_policy::help_first, [&] {
        b.atomic([&] {
          b_held.set();
          b_may_go.await();
        });
      });
      b_held.await();
      ts::async(ts::spawn_policy::help_first, [&] {
        a.atomic([&] {
          in_a = true;
          b.atomic([&] { order.emplace_back("nested"); });
          order.emplace_back("outer");
        });
      });
      while (!in_a) ts::yield();
      ts::async(ts::spawn_policy::help_first, [&] {
        third_came = true;
        a.atomic([&] { order.emplace_back("third"); });
      });
      while (!third_came) ts::yield();
      ts::async(ts::spawn_policy::help_first, [&] { b_may_go.set(); });
    });
    EXPECT_EQ(order, (std::vector<std::string>{"nested", "outer", "third"}));
  });
}

TEST_P(parallel_monitor_test, two_taken_crosswise_are_a_deadlock_that_names_both_tasks_and_the_monitors) {
  const auto e = caught<ts::deadlock_error>([] {
    run([] {
      ts::monitor a;
      ts::monitor b;
      support::event in_a;
      support::event in_b;
      ts::finish([&] {
        ts::async(ts::spawn_policy::help_first, ts::named("a first"), [&] {
          a.atomic([&] {
            in_a.set();
            in_b.await();
            b.atomic([] { FAIL() << "entered b"; });
          });
        });
        ts::async(ts::spawn_policy::help_first, ts::named("b first"), [&] {
          b.atomic([&] {
            in_b.set();
            in_a.await();
            a.atomic([] { FAIL() << "entered a"; });
          });
        });
      });
    });
  });
  ASSERT_TRUE(e);
  const std::string text = e->what();
  const auto waited_by = [&text](const std::string& task, const std::string& holder) {
    const std::string start = "task '" + task + "' waits for the lock of monitor ";
    const std::size_t at = text.find(start);
    const std::size_t end = text.find(", which task '" + holder + "' holds", at);
    return at == std::string::npos || end == std::string::npos
               ? "none"
               : text.substr(at + start.size(), end - at - start.size());
  };
  const std::string waited_by_a = waited_by("a first", "b first");
  const std::string waited_by_b = waited_by("b first", "a first");
  EXPECT_NE(waited_by_a, "none") << text;
  EXPECT_NE(waited_by_b, "none") << text;
  EXPECT_NE(waited_by_a, waited_by_b) << text;
}

}  // namespace
