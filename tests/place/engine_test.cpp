// SPDX-License-Identifier: Apache-2.0
// Messages that come late and in any order change nothing; messages that are lost, or come twice, are noticed.
#include <tactus/tactus.hpp>

#include "support/errors_caught.hpp"
#include "support/shuffling_engine.hpp"
#include "support/tardy_engine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include <unistd.h>

namespace ts = tactus;

namespace {

using support::network_fault;

ts::config places(int n) { return {.threads = 1, .places = n, .env = false}; }

std::atomic<int> leaves{0};

// Tasks that spawn at the places beside, so many deep.
void grow(int depth) {
  if (depth == 0) {
    leaves.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  ts::async_at(ts::here().next(), grow, depth - 1);
  ts::async_at(ts::here().prev(), grow, depth - 1);
}

void go_round() {
  for (int round = 0; round < 20; ++round) {
    ts::finish([] { grow(5); });
    EXPECT_EQ(leaves.exchange(0, std::memory_order_relaxed), 32);
    EXPECT_EQ(ts::at(ts::here().next(), [](int x) { return x + ts::at(ts::here().next(), [] { return 1; }); }, 41), 42);
  }
}

TEST(engine_test, late_messages_in_any_order_change_nothing) {
  const support::shuffled_messages<> slow;
  for (const int n : {2, 3, 8}) ts::run(places(n), go_round);
}

TEST(engine_test, a_deadlock_is_found_when_the_last_message_has_come) {
  const support::shuffled_messages<> slow;
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(ts::run(places(3),
                         [] {
                           for (int i = 0; i < 10; ++i) ts::async_at(ts::place(i % 3), [] {});
                           ts::async_at(ts::place(2), [] { ts::promise<int>().get_future().get(); });
                         }),
                 ts::deadlock_error);
  }
}

TEST(engine_test, who_waits_for_a_note_that_is_late_is_not_stuck) {
  const support::tardy_messages<ts::detail::message_kind::note> notes;
  ts::run(places(3), [] {
    ts::at_each(ts::places(), [] {
      for (int i = 0; i < 10; ++i) EXPECT_EQ(ts::team::world().allreduce(i, ts::op::sum), 3 * i);
    });
  });
}

TEST(engine_test, a_note_that_comes_after_its_run_is_nobodys) {
  const support::tardy_messages<ts::detail::message_kind::note> notes;
  ts::runtime r(places(2));
  r.run([] { static_cast<void>(ts::team::world().broadcast(1, 0)); });  // which place 1 does not come to
  r.run([] {
    ts::at_each(ts::places(), [] {
      const ts::team t = ts::team::world();
      EXPECT_EQ(t.broadcast(t.rank() == 0 ? 2 : 0, 0), 2);
    });
  });
}

class engine_death_test : public testing::Test {
protected:
  engine_death_test() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }  // a forked child has no workers
};

// Several tasks that send for ever: where one of them waits for what was lost, the next message of another shows it.
template <network_fault Fault>
void with_fault() {
  const support::shuffled_messages<Fault> bad;
  ts::run(places(2), [] {
    for (int i = 0; i < 4; ++i) {
      ts::async([] {
        for (;;) ts::finish([] { ts::async_at(ts::place(1), [] {}); });
      });
    }
  });
}

TEST_F(engine_death_test, a_lost_control_message_ends_the_program) {
  EXPECT_DEATH(with_fault<network_fault::loses_control>(),
               "control messages from place [01] to place [01], number 11 came where number 10 was due");
}

TEST_F(engine_death_test, one_that_comes_twice_ends_the_program) {
  EXPECT_DEATH(with_fault<network_fault::doubles_control>(), "number 10 came where number 11 was due");
}

TEST_F(engine_death_test, one_that_comes_early_ends_the_program) {
  EXPECT_DEATH(with_fault<network_fault::comes_early>(), "number 11 came where number 10 was due");
}

// A task that was lost holds its finish for ever: the watchdog says between which places.
TEST_F(engine_death_test, a_lost_task_is_told_by_the_watchdog) {
  EXPECT_EXIT(
      {
        const support::errors_caught errors;
        std::thread judge([&errors] {
          const bool told = errors.wait_for("messages from place 0 to place 1, 1 have not arrived",
                                            [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
          ::_exit(told ? 7 : 8);
        });
        const support::shuffled_messages<network_fault::loses_task> bad;
        ts::config c = places(2);
        c.watchdog_seconds = 0.1;
        ts::run(c, [] {
          ts::finish([] {
            for (int i = 0; i < 20; ++i) ts::async_at(ts::place(1), [] {});
          });
        });
        ::_exit(9);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
