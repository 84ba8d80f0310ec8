// SPDX-License-Identifier: Apache-2.0
// run and runtime: what they return, what they wait for, and that they may be used again.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace ts = tactus;

namespace {

using support::caught;
using support::config_of;

class run_test : public support::each_setting {};
TACTUS_EACH_SETTING(run_test);

TEST_P(run_test, returns_the_value_of_its_body) {
  EXPECT_EQ(run([] { return std::string("value"); }), "value");
}

TEST_P(run_test, of_a_void_body_returns_nothing) {
  static_assert(std::is_void_v<decltype(ts::run(ts::config{}, [] {}))>);
  int calls = 0;
  run([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST_P(run_test, moves_a_move_only_result_out) {
  EXPECT_EQ(*run([] { return std::make_unique<int>(3); }), 3);
}

TEST_P(run_test, takes_a_move_only_body) {
  EXPECT_EQ(run([p = std::make_unique<int>(4)] { return *p; }), 4);
}

TEST_P(run_test, takes_a_body_that_is_an_lvalue) {
  const std::function<int()> body = [] { return 5; };
  EXPECT_EQ(run(body), 5);
}

TEST_P(run_test, waits_for_every_task) {
  std::atomic<int> done{0};
  run([&] {
    for (int i = 0; i < 100; ++i) {
      ts::async([&] {
        ts::yield();
        ts::async([&] { ++done; });
      });
    }
  });
  EXPECT_EQ(done.load(), 100);
}

TEST_P(run_test, without_any_task_returns) {
  run([] {});
}

TEST_P(run_test, may_be_called_again_after_it_returned) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run([i] { return i; }), i);
}

TEST_P(run_test, may_be_called_again_after_it_threw) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(caught<ts::multiple_exceptions>([] { run([] { throw std::runtime_error("body"); }); }));
    EXPECT_EQ(run([] { return 1; }), 1);
  }
}

TEST_P(run_test, may_be_called_from_any_thread) {
  int got = 0;
  std::thread([&] { got = run([] { return 6; }); }).join();
  EXPECT_EQ(got, 6);
  EXPECT_EQ(run([] { return 7; }), 7);
}

TEST_P(run_test, gives_the_root_task_eight_mebibytes_of_stack) {
  struct recursion {
    static int deep(std::size_t bytes) {
      volatile char frame[4'096];
      frame[0] = 1;
      frame[4'095] = 2;
      const int below = bytes > sizeof frame ? deep(bytes - sizeof frame) : 0;
      return below + frame[0];
    }
  };
  const std::size_t bytes = support::k_sanitized ? 2'000'000 : 7'000'000;
  EXPECT_GT(run([&] { return recursion::deep(bytes); }), 0);
}

TEST_P(run_test, sees_what_the_caller_wrote_and_shows_what_the_tasks_wrote) {
  int before = 1;
  int after = 0;
  run([&] { ts::async([&] { ts::async([&] { after = before + 1; }); }); });
  EXPECT_EQ(after, 2);
}

class runtime_test : public support::each_setting {};
TACTUS_EACH_SETTING(runtime_test);

TEST_P(runtime_test, runs_one_body_after_another) {
  ts::runtime rt(config_of(GetParam().workers, GetParam().policy));
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> done{0};
    EXPECT_EQ(rt.run([&] {
      for (int k = 0; k < 20; ++k) ts::async([&] { ++done; });
      return i;
    }),
              i);
    EXPECT_EQ(done.load(), 20);
  }
}

TEST_P(runtime_test, that_never_runs_anything_ends) {
  const ts::runtime rt(config_of(GetParam().workers, GetParam().policy));
}

TEST_P(runtime_test, runs_again_after_a_body_threw) {
  ts::runtime rt(config_of(GetParam().workers, GetParam().policy));
  EXPECT_TRUE(caught<ts::multiple_exceptions>([&] { rt.run([] { throw std::runtime_error("body"); }); }));
  EXPECT_EQ(rt.run([] { return 8; }), 8);
}

TEST_P(runtime_test, may_be_followed_by_another) {
  for (int i = 0; i < 10; ++i) {
    ts::runtime rt(config_of(GetParam().workers, GetParam().policy));
    EXPECT_EQ(rt.run([i] { return i; }), i);
  }
}

TEST_P(runtime_test, may_be_used_from_one_thread_after_another) {
  ts::runtime rt(config_of(GetParam().workers, GetParam().policy));
  for (int i = 0; i < 5; ++i) {
    int got = -1;
    std::thread([&] { got = rt.run([i] { return ts::async_future([i] { return i; }).get(); }); }).join();
    EXPECT_EQ(got, i);
  }
}

TEST_P(runtime_test, of_a_void_body_returns_nothing) {
  static_assert(std::is_void_v<decltype(std::declval<ts::runtime&>().run([] {}))>);
  ts::runtime rt(config_of(GetParam().workers, GetParam().policy));
  int calls = 0;
  rt.run([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

}  // namespace
