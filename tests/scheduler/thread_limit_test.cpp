// SPDX-License-Identifier: Apache-2.0
// A runtime whose threads cannot be started: the error says so, and the process is as it was before.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/few_threads.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <string>

namespace ts = tactus;

namespace {

class thread_limit_test : public testing::Test {
protected:
  void SetUp() override {
    if (support::k_sanitized) GTEST_SKIP() << "sanitizers start threads themselves";
    const ts::runtime first(support::config_of(1));  // whose making starts the thread that answers SIGUSR1
  }
  void TearDown() override { support::g_threads_left = INT_MAX; }

  // What making a runtime of eight workers throws when `threads` can be started.
  static std::string refusal(int threads, double watchdog_seconds = 0) {
    support::g_threads_left = threads;
    ts::config c = support::config_of(8);
    c.watchdog_seconds = watchdog_seconds;
    std::string text = "nothing was thrown";
    try {
      const ts::runtime rt(c);
    } catch (const ts::resource_error& e) {
      text = e.what();
    }
    support::g_threads_left = INT_MAX;
    return text;
  }
};

TEST_F(thread_limit_test, the_error_names_the_worker_and_the_remedy) {
  const std::string text = refusal(3);
  EXPECT_TRUE(support::contains(text, "could not start worker 4 of 8")) << text;
  EXPECT_TRUE(support::contains(text, "TACTUS_THREADS")) << text;
}

TEST_F(thread_limit_test, whichever_thread_it_is_the_next_runtime_works) {
  for (int threads = 0; threads < 8; ++threads) {
    const std::string which = threads < 7 ? "worker " + std::to_string(threads + 1) + " of 8" : "the watchdog";
    const std::string text = refusal(threads, 1);
    EXPECT_TRUE(support::contains(text, "could not start " + which + " (")) << text;
    std::atomic<int> ran{0};
    ts::run(support::config_of(3), [&ran] {
      for (int i = 0; i < 10; ++i) ts::async([&ran] { ++ran; });
    });
    EXPECT_EQ(ran.load(), 10);
    EXPECT_EQ(ts::stats().workers.size(), 3u);
  }
}

}  // namespace
