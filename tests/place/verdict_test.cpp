// SPDX-License-Identifier: Apache-2.0
// When a program over several places is called stuck (docs/protocols/quiescence.md).
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/tactus.hpp>

#include "place/place_node.hpp"
#include "support/tardy_engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

namespace {
namespace ts = tactus;
namespace td = tactus::detail;

std::atomic<int> g_freed;  // places of one process share memory

class verdict_test : public testing::TestWithParam<ts::copying> {
protected:
  static ts::config places(int n, int workers) {
    return {.threads = workers, .places = n, .env = false, .local_copy = GetParam()};
  }
};
INSTANTIATE_TEST_SUITE_P(copies, verdict_test, testing::Values(ts::copying::automatic, ts::copying::serialize));

// The thread lets go only when the places have had every occasion to tell that they sleep.
TEST_P(verdict_test, is_not_found_while_a_foreign_thread_has_a_promise) {
  for (const int n : {2, 3}) {
    ts::run(places(n, 2), [] {
      const ts::promise<int> p(ts::external);
      std::thread outside([&p] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        p.set_value(7);
      });
      EXPECT_NO_THROW(EXPECT_EQ(p.get_future().get(), 7));
      outside.join();
    });
  }
}

// Which nobody waits for: so who tells that all sleep is woken for that alone.
TEST_P(verdict_test, is_found_when_the_last_promise_of_a_foreign_thread_is_gone) {
  for (const int n : {2, 3}) {
    const ts::promise<int> p(ts::external);
    std::thread outside([&p] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      p.set_value(7);
    });
    EXPECT_THROW(ts::run(places(n, 2),
                         [] {
                           const ts::promise<int> never;
                           static_cast<void>(never.get_future().get());
                         }),
                 ts::deadlock_error);
    outside.join();
  }
}

void wait_in_vain() {
  const ts::promise<int> never;
  static_cast<void>(never.get_future().get());
}

// All have told what they have to when it is made: whoever is about to say that the program is stuck is held up.
TEST_P(verdict_test, is_found_when_a_promise_that_no_task_knows_of_has_come_and_gone) {
  static std::atomic<bool> s_runs;
  static std::atomic<bool> s_holds_up;
  for (const int n : {2, 3}) {
    s_runs = s_holds_up = false;
    std::thread outside([] {
      while (!s_runs) std::this_thread::yield();
      std::optional<ts::promise<int>> p;
      {
        const td::foreign_visit nobody_else;
        s_holds_up = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        p.emplace(ts::external);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      p->set_value(7);
    });
    EXPECT_THROW(ts::run(places(n, 2),
                         [] {
                           s_runs = true;
                           while (!s_holds_up) std::this_thread::yield();
                           wait_in_vain();
                         }),
                 ts::deadlock_error);
    outside.join();
  }
}

// The same while what the last place tells is on its way to place 0.
TEST(verdict_by_messages_test, is_found_when_a_promise_that_no_task_knows_of_has_come_and_gone) {
  static std::atomic<td::place_node*> s_last;
  static std::atomic<bool> s_over;
  s_last = nullptr;
  s_over = false;
  const support::tardy_messages<td::message_kind::quiet> late;
  ts::runtime rt({.threads = 1, .places = 2, .env = false, .local_copy = ts::copying::serialize});
  std::thread outside([] {
    while (s_last == nullptr) std::this_thread::yield();
    td::place_node& last = *s_last;
    while (!s_over && !(last.is_at_rest() && last.at(0).is_at_rest())) std::this_thread::yield();
    const ts::promise<int> p(ts::external);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    p.set_value(7);
  });
  EXPECT_THROW(rt.run([] {
    ts::async_at(ts::place(1), [] {
      td::place_node& here = td::place_node::of(td::current_worker());
      while (!here.at(0).is_at_rest()) std::this_thread::yield();
      s_last = &here;
      wait_in_vain();
    });
  }),
               ts::deadlock_error);
  s_over = true;
  outside.join();
}

// Place 0 says that the program is stuck, and before it cancels anything a foreign thread lets its root task go on and end the run. What is
// still said then is of no run that comes after.
TEST(verdict_by_messages_test, is_none_of_the_run_that_comes_after) {
  static std::atomic<bool> s_waits;
  ts::runtime rt({.threads = 1, .places = 2, .env = false, .local_copy = ts::copying::serialize});
  for (int i = 0; i < 3; ++i) {
    s_waits = false;
    std::optional<ts::promise<int>> let_go_outside;
    std::thread outside;
    rt.run([&] {
      let_go_outside.emplace();
      const ts::future<int> never = let_go_outside->get_future();
      std::atomic<bool> keeps_out = false;
      outside = std::thread([&] {
        const td::foreign_visit nobody_else;  // who is to cancel waits is held up
        keeps_out = true;
        while (!s_waits) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        let_go_outside.reset();
      });
      while (!keeps_out) std::this_thread::yield();
      s_waits = true;
      EXPECT_THROW(static_cast<void>(never.get()), ts::broken_promise);
    });
    outside.join();
    EXPECT_NO_THROW(rt.run([] {
      ts::at(ts::place(1), [] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
      ts::at_each(ts::places(), [] { ts::finish([] { ts::async([] {}); }); });
    })) << i;
  }
}

// Each place has tasks at a barrier, behind one that waits for a promise.
TEST_P(verdict_test, frees_the_tasks_of_all_places_whatever_they_wait_for) {
  for (const int n : {2, 3}) {
    EXPECT_THROW(ts::run(places(n, 2),
                         [] {
                           ts::at_each(ts::places(), [] {
                             const ts::clock c = ts::clock::make();
                             for (int i = 0; i < 3; ++i) {
                               ts::async(ts::clocked(c), [c] {
                                 try {
                                   c.advance();
                                 } catch (const ts::deadlock_error&) {
                                   ++g_freed;
                                   throw;
                                 }
                               });
                             }
                             const ts::promise<int> never;
                             static_cast<void>(never.get_future().get());
                           });
                         }),
                 std::exception);
    EXPECT_EQ(g_freed.exchange(0), 3 * n);
  }
}

}  // namespace
