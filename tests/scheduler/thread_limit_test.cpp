// SPDX-License-Identifier: Apache-2.0
// A runtime whose threads cannot be started: the error says so, and the process is as it was before.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <string>

#include <dlfcn.h>
#include <pthread.h>

namespace ts = tactus;

namespace {

std::atomic<int> g_threads_left{INT_MAX};

}  // namespace

#if !defined(TACTUS_TEST_TSAN) && !defined(TACTUS_TEST_ASAN)  // which have a pthread_create of their own
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  if (g_threads_left.fetch_sub(1) <= 0) return EAGAIN;
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, start, argument);
}
#endif

namespace {

class thread_limit_test : public testing::Test {
protected:
  void SetUp() override {
    if (support::k_sanitized) GTEST_SKIP() << "sanitizers start threads themselves";
    const ts::runtime first(support::config_of(1));  // whose making starts the thread that answers SIGUSR1
  }
  void TearDown() override { g_threads_left = INT_MAX; }

  // What making a runtime of eight workers throws when `threads` can be started.
  static std::string refusal(int threads, double watchdog_seconds = 0) {
    g_threads_left = threads;
    ts::config c = support::config_of(8);
    c.watchdog_seconds = watchdog_seconds;
    std::string text = "nothing was thrown";
    try {
      const ts::runtime rt(c);
    } catch (const ts::resource_error& e) {
      text = e.what();
    }
    g_threads_left = INT_MAX;
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
