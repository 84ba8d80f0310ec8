// SPDX-License-Identifier: Apache-2.0
// When a program over several places is called stuck (docs/protocols/quiescence.md).
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

namespace {
namespace ts = tactus;

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
