// SPDX-License-Identifier: Apache-2.0
// The hang report: SIGUSR1 and the watchdog say what workers do and what tasks wait for, and change nothing.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/errors_caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ts = tactus;

namespace {

using namespace std::chrono_literals;
using support::contains;
using support::errors_caught;

void ask() {
  ::kill(::getpid(), SIGUSR1);
  std::this_thread::sleep_for(1ms);
}

class hang_test : public support::each_setting {};
TACTUS_EACH_SETTING(hang_test);

// Three tasks that wait for a promise, which another thread sets after `meanwhile`.
template <class Meanwhile>
void run_waiters(const ts::config& c, Meanwhile meanwhile) {
  ts::run(c, [&] {
    ts::promise<int> p(ts::external);
    std::thread outside([p, &meanwhile] {
      meanwhile();
      p.set_value(1);
    });
    ts::finish([&p] {
      for (int i = 0; i < 3; ++i) {
        ts::async(ts::named("waiter " + std::to_string(i)), [f = p.get_future()] { EXPECT_EQ(f.get(), 1); });
      }
    });
    outside.join();
  });
}

TEST_P(hang_test, lists_who_waits_for_what_when_asked_by_a_signal) {
  const errors_caught errors;
  run_waiters(support::config_of(GetParam().workers, GetParam().policy), [&errors] {
    for (int i = 0; i < 3; ++i) {
      errors.wait_for("task 'waiter " + std::to_string(i) + "' waits for future ", ask);
    }
  });
  const std::string text = errors.text();
  EXPECT_TRUE(contains(text, "worker 0 ")) << text;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(contains(text, "task 'waiter " + std::to_string(i) + "' waits for future ")) << text;
  }
}

TEST_P(hang_test, names_the_task_that_a_worker_runs) {
  const errors_caught errors;
  bool is_named = false;
  ts::run(support::config_of(GetParam().workers, GetParam().policy), [&] {
    ts::async(ts::named("busy one"), [&] { is_named = errors.wait_for(" runs task 'busy one'\n", ask); });
  });
  EXPECT_TRUE(is_named) << errors.text();
  EXPECT_FALSE(errors.hold("tasks wait")) << errors.text();
}

// One worker spins until the report is there: what the others wait for is told all the same.
TEST_P(hang_test, lists_who_waits_while_a_worker_runs) {
  const errors_caught errors;
  bool is_told = false;
  ts::run(support::config_of(GetParam().workers, GetParam().policy), [&] {
    const ts::promise<int> p;
    std::atomic<bool> begun{false};
    ts::finish([&] {
      ts::async(ts::named("waiter"), [&begun, f = p.get_future()] {
        begun = true;
        EXPECT_EQ(f.get(), 1);
      });
      ts::async(ts::spawn_policy::help_first, ts::named("spinner"), [&] {
        while (!begun) ts::yield();
        is_told = errors.wait_for("task 'waiter' waits for future ", ask);
        p.set_value(1);
      });
    });
  });
  const std::string text = errors.text();
  EXPECT_TRUE(is_told) << text;
  EXPECT_TRUE(contains(text, "tactus: a snapshot, while workers run: 1 task waits\n")) << text;
  EXPECT_TRUE(contains(text, "runs task 'spinner'\n")) << text;
}

TEST_P(hang_test, names_the_clock_and_the_phase_while_a_member_runs) {
  const errors_caught errors;
  bool is_told = false;
  ts::run(support::config_of(GetParam().workers, GetParam().policy), [&] {
    std::atomic<int> begun{0};
    ts::finish(ts::clocked, [&](ts::clock c) {
      for (int i = 0; i < 20; ++i) {
        ts::async(ts::clocked(c), ts::named("member " + std::to_string(i)), [&begun, c] {
          ++begun;
          c.advance();
        });
      }
      ts::async(ts::spawn_policy::help_first, ts::clocked(c), ts::named("late"), [&, c] {
        while (begun != 20) ts::yield();
        is_told = errors.wait_for("task 'member 7' waits for clock", ask);
        c.advance();
      });
    });
  });
  EXPECT_TRUE(is_told) << errors.text();
}

// What a task waits for in the kernel goes on to its end.
TEST_P(hang_test, does_not_interrupt_what_a_task_waits_for) {
  const errors_caught errors;
  int result = -1;
  ts::run(support::config_of(GetParam().workers, GetParam().policy), [&] {
    std::thread outside([&errors] { errors.wait_for("worker 0 ", ask); });
    result = ::poll(nullptr, 0, 300);
    outside.join();
  });
  EXPECT_EQ(result, 0);
  EXPECT_TRUE(errors.hold("runs task 'root'")) << errors.text();
}

TEST(hang_report_test, leaves_the_signal_open_in_a_forked_child) {
  ts::run(support::config_of(2), [] {
    const pid_t child = ::fork();
    if (child == 0) {
      sigset_t now;
      ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
      ::_exit(sigismember(&now, SIGUSR1));
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  });
}

TEST(hang_report_test, tells_of_each_run_that_is_active) {
  const errors_caught errors;
  std::atomic<bool> told{false};
  const auto body = [&told](const char* name) {
    ts::finish([&told, name] {
      ts::async(ts::named(name), [&told] {
        while (!told) std::this_thread::yield();
      });
    });
  };
  std::thread other([&] { ts::run(support::config_of(2), [&] { body("of one"); }); });
  bool both = false;
  ts::run(support::config_of(2), [&] {
    std::thread asker([&] {
      both = errors.wait_for("runs task 'of one'\n", ask) && errors.wait_for("runs task 'of two'\n", ask);
      told = true;
    });
    body("of two");
    asker.join();
  });
  other.join();
  EXPECT_TRUE(both) << errors.text();
}

TEST(hang_report_test, of_a_program_without_a_run_says_so) {
  ts::runtime rt(support::config_of(2));
  const errors_caught errors;
  EXPECT_TRUE(errors.wait_for("no run is active", ask));
  rt.run([] {});
}

TEST(hang_report_test, may_be_asked_for_again_and_again) {
  std::atomic<std::size_t> sum{0};
  std::size_t rounds = 0;
  const errors_caught errors;
  ts::run(support::config_of(3), [&] {
    std::atomic<bool> stop{false};
    std::thread asker([&stop] {
      while (!stop) {
        ::kill(::getpid(), SIGUSR1);
        std::this_thread::sleep_for(200us);
      }
    });
    for (const auto until = std::chrono::steady_clock::now() + 200ms; std::chrono::steady_clock::now() < until;
         ++rounds) {
      ts::finish([&sum] {
        for (int i = 0; i < 50; ++i) {
          ts::async(ts::named("short"), [&sum] { sum += ts::async_future([] { return std::size_t{1}; }).get(); });
        }
      });
    }
    stop = true;
    asker.join();
  });
  EXPECT_EQ(sum.load(), 50 * rounds);
  const std::string text = errors.text();
  EXPECT_TRUE(contains(text, "worker 0 ")) << text;
}

TEST(hang_report_test, leaves_a_handler_of_the_program_alone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::signal(SIGUSR1, [](int) { std::_Exit(42); });
        ts::run(support::config_of(2), [] { ::raise(SIGUSR1); });
      },
      testing::ExitedWithCode(42), "");
}

// The number of the signal that comes to who waits for SIGUSR1 as sigwait does.
int signal_waited_for() {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &only, nullptr);
  ts::run(support::config_of(2), [] { ::kill(::getpid(), SIGUSR1); });
  const timespec long_enough{.tv_sec = 30, .tv_nsec = 0};
  return ::sigtimedwait(&only, nullptr, &long_enough);
}

TEST(hang_report_test, leaves_the_signal_to_a_program_that_has_blocked_it) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(signal_waited_for()), testing::ExitedWithCode(SIGUSR1), "");
}

// ---- the watchdog ----

TEST(watchdog_test, tells_once_that_nothing_happens_and_what_tasks_wait_for) {
  ts::config c = support::config_of(2);
  c.watchdog_seconds = 0.05;
  const errors_caught errors;
  run_waiters(c, [&errors] {
    errors.wait_for("task 'waiter 2' waits for future ", [] { std::this_thread::sleep_for(1ms); });
    std::this_thread::sleep_for(200ms);  // four times as long as the watchdog waits: it has nothing new to tell
  });
  const std::string text = errors.text();
  const std::size_t at = text.find("no task has begun, ended, stopped or gone on for 50 ms");
  EXPECT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.find("no task has begun", at + 1), std::string::npos) << text;
  EXPECT_TRUE(contains(text, "task 'waiter 2' waits for future ")) << text;
}

void expect_the_long_one_is_named(const ts::config& c, const errors_caught& errors) {
  bool is_named = false;
  ts::run(c, [&] {
    ts::async(ts::named("long one"), [&] { is_named = errors.wait_for(" runs task 'long one'\n", [] {}); });
  });
  EXPECT_TRUE(is_named) << errors.text();
}

TEST(watchdog_test, names_the_task_that_takes_long) {
  ts::config c = support::config_of(2);
  c.watchdog_seconds = 0.05;
  const errors_caught errors;
  expect_the_long_one_is_named(c, errors);
}

TEST(watchdog_test, watches_the_seeded_scheduler) {
  ts::config c = support::seeded_config_of(7, 3);
  c.watchdog_seconds = 0.05;
  const errors_caught errors;
  expect_the_long_one_is_named(c, errors);
  run_waiters(
      c, [&errors] { errors.wait_for("task 'waiter 2' waits for future ", [] { std::this_thread::sleep_for(1ms); }); });
  EXPECT_TRUE(errors.hold("task 'waiter 2' waits for future ")) << errors.text();
}

// Twice as long as the watchdog waits, here and between two runs: what it does not say is what is tested.
TEST(watchdog_test, is_silent_while_tasks_come_and_go_and_between_runs) {
  static constexpr auto k_time = 2'200ms;
  ts::config c = support::config_of(2);
  c.watchdog_seconds = 1;
  const errors_caught errors;
  {
    ts::runtime rt(c);
    rt.run([] {
      for (const auto end = std::chrono::steady_clock::now() + k_time; std::chrono::steady_clock::now() < end;) {
        ts::finish([] { ts::async([] { std::this_thread::yield(); }); });
      }
    });
    std::this_thread::sleep_for(k_time);
    rt.run([] { ts::async([] {}); });
  }
  EXPECT_EQ(errors.text(), "");
}

TEST(watchdog_test, does_not_delay_the_end_of_its_runtime) {
  ts::config c = support::config_of(2);
  c.watchdog_seconds = 1000;
  const auto begin = std::chrono::steady_clock::now();
  ts::run(c, [] {});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 100s);
}

}  // namespace
