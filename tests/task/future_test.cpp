// SPDX-License-Identifier: Apache-2.0
// future and async_future: values, references, exceptions, and who waits for what.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;

class future_test : public support::each_setting {};
TACTUS_EACH_SETTING(future_test);

TEST_P(future_test, get_gives_the_value_of_the_function) {
  run([] {
    const ts::future<std::string> f = ts::async_future([] { return std::string("value"); });
    EXPECT_EQ(f.get(), "value");
  });
}

TEST_P(future_test, get_gives_a_const_reference_and_a_value_from_an_rvalue) {
  static_assert(std::is_same_v<decltype(std::declval<const ts::future<int>&>().get()), const int&>);
  static_assert(std::is_same_v<decltype(std::declval<ts::future<int>&>().get()), const int&>);
  static_assert(std::is_same_v<decltype(std::declval<ts::future<int>>().get()), int>);
  run([] {
    const auto f = ts::async_future([] { return 5; });
    EXPECT_EQ(&f.get(), &f.get());
    EXPECT_EQ(ts::async_future([] { return 6; }).get(), 6);
  });
}

TEST_P(future_test, of_void_waits_for_the_end_of_the_function) {
  static_assert(std::is_void_v<decltype(std::declval<const ts::future<void>&>().get())>);
  run([] {
    int done = 0;
    const ts::future<void> f = ts::async_future([&] {
      ts::yield();
      done = 1;
    });
    f.get();
    EXPECT_EQ(done, 1);
  });
}

TEST_P(future_test, of_what_returns_an_rvalue_keeps_the_value) {
  run([] {
    std::string text = "moved out";
    const auto f = ts::async_future([&text]() -> std::string&& { return std::move(text); });
    static_assert(std::is_same_v<decltype(f), const ts::future<std::string>>);
    EXPECT_EQ(f.get(), "moved out");
  });
}

TEST_P(future_test, of_a_reference_gives_that_object) {
  static_assert(std::is_same_v<decltype(std::declval<const ts::future<int&>&>().get()), int&>);
  int target = 1;
  run([&] {
    const ts::future<int&> f = ts::async_future([&]() -> int& { return target; });
    f.get() = 2;
    EXPECT_EQ(&f.get(), &target);
  });
  EXPECT_EQ(target, 2);
}

TEST_P(future_test, holds_a_move_only_value) {
  run([] {
    const auto f = ts::async_future([] { return std::make_unique<int>(9); });
    EXPECT_EQ(*f.get(), 9);
  });
}

TEST_P(future_test, holds_a_value_without_default_constructor_or_assignment) {
  struct fixed {
    explicit fixed(int v) : value(v) {}
    fixed(const fixed&) = default;
    fixed& operator=(const fixed&) = delete;
    const int value;
  };
  run([] { EXPECT_EQ(ts::async_future([] { return fixed(4); }).get().value, 4); });
}

TEST_P(future_test, holds_an_over_aligned_value) {
  struct alignas(128) wide {
    std::array<int, 64> cells{};
  };
  run([] {
    const auto f = ts::async_future([] { return wide{{1, 2, 3}}; });
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&f.get()) % 128, 0u);
    EXPECT_EQ(f.get().cells[2], 3);
  });
}

TEST_P(future_test, destroys_its_value_once_with_the_last_handle) {
  struct counted {
    explicit counted(std::atomic<int>* alive) : alive_(alive) { ++*alive_; }
    counted(const counted& other) : alive_(other.alive_) { ++*alive_; }
    counted& operator=(const counted&) = delete;
    ~counted() { --*alive_; }
    std::atomic<int>* alive_;
  };
  std::atomic<int> alive{0};
  run([&] {
    auto f = ts::finish([&] { return ts::async_future([&] { return counted(&alive); }); });
    auto g = f;
    EXPECT_EQ(alive.load(), 1);
    f = {};
    EXPECT_EQ(alive.load(), 1);
    EXPECT_EQ(g.get().alive_, &alive);
    g = {};
    EXPECT_EQ(alive.load(), 0);
  });
}

TEST_P(future_test, get_rethrows_the_exception_of_the_function_every_time) {
  run([] {
    const auto f = ts::async_future([]() -> int { throw std::out_of_range("far"); });
    for (int i = 0; i < 3; ++i) {
      const auto e = caught<std::out_of_range>([&] { static_cast<void>(f.get()); });
      ASSERT_TRUE(e);
      EXPECT_STREQ(e->what(), "far");
    }
  });
}

TEST_P(future_test, keeps_its_exception_from_the_finish) {
  run([] {
    const auto f = ts::finish([] { return ts::async_future([]() -> int { throw std::out_of_range("kept"); }); });
    EXPECT_TRUE(caught<std::out_of_range>([&] { static_cast<void>(f.get()); }));
  });
}

TEST_P(future_test, of_void_rethrows_too) {
  run([] {
    const auto f = ts::async_future([] { throw std::out_of_range("nothing"); });
    EXPECT_TRUE(caught<std::out_of_range>([&] { f.get(); }));
  });
}

TEST_P(future_test, copies_share_one_value) {
  run([] {
    const auto f = ts::async_future([] { return std::string("shared"); });
    const auto g = f;
    EXPECT_EQ(&f.get(), &g.get());
  });
}

TEST_P(future_test, many_tasks_may_wait_for_one) {
  const int n = static_cast<int>(support::scaled(2'000, 100));
  std::atomic<int> sum{0};
  run([&] {
    ts::promise<void> gate;
    ts::finish([&] {
      const auto f = ts::async_future([opened = gate.get_future()] {
        opened.get();
        return 1;
      });
      for (int i = 0; i < n; ++i) ts::async([f, &sum] { sum += f.get(); });
      gate.set_value();
    });
  });
  EXPECT_EQ(sum.load(), n);
}

TEST_P(future_test, ready_tells_whether_get_would_wait) {
  run([] {
    ts::promise<void> gate;
    const auto f = ts::async_future([opened = gate.get_future()] {
      opened.get();
      return 1;
    });
    EXPECT_FALSE(f.ready());
    gate.set_value();
    EXPECT_EQ(f.get(), 1);
    EXPECT_TRUE(f.ready());
  });
}

TEST_P(future_test, is_ready_when_the_function_threw) {
  run([] {
    const auto f = ts::finish([] { return ts::async_future([]() -> int { throw std::out_of_range("thrown"); }); });
    EXPECT_TRUE(f.ready());
    EXPECT_TRUE(caught<std::out_of_range>([&] { static_cast<void>(f.get()); }));
  });
}

TEST_P(future_test, get_does_not_wait_for_tasks_that_the_function_spawned) {
  // The spawned task waits for a promise that is set after get has returned.
  int late = 0;
  run([&] {
    ts::promise<void> gate;
    ts::finish([&] {
      const auto f = ts::async_future([&late, opened = gate.get_future()] {
        ts::async([&late, opened] {
          opened.get();
          late = 1;
        });
        return 5;
      });
      EXPECT_EQ(f.get(), 5);
      EXPECT_EQ(late, 0);
      gate.set_value();
    });
    EXPECT_EQ(late, 1);
  });
}

TEST_P(future_test, tasks_that_the_function_spawned_report_to_the_innermost_finish) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        const auto f = ts::async_future([] {
          ts::async([] { throw std::runtime_error("spawned"); });
          return 1;
        });
        EXPECT_EQ(f.get(), 1);
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()), std::vector<std::string>{"spawned"});
  });
}

TEST_P(future_test, the_finish_waits_for_the_function) {
  run([] {
    const auto f = ts::finish([] {
      return ts::async_future([] {
        ts::yield();
        return 8;
      });
    });
    EXPECT_TRUE(f.ready());
    EXPECT_EQ(f.get(), 8);
  });
}

TEST_P(future_test, may_outlive_the_run_that_made_it) {
  const ts::future<int> f = run([] { return ts::async_future([] { return 3; }); });
  EXPECT_TRUE(f.ready());
  run([&] { EXPECT_EQ(f.get(), 3); });
}

TEST_P(future_test, of_a_future_is_a_value_like_any_other) {
  run([] {
    const auto f = ts::async_future([] { return ts::async_future([] { return 12; }); });
    EXPECT_EQ(f.get().get(), 12);
  });
}

TEST_P(future_test, chains_carry_values_along) {
  run([] {
    ts::future<std::size_t> last = ts::async_future([] { return std::size_t{0}; });
    const std::size_t n = support::scaled(2'000);
    for (std::size_t i = 0; i < n; ++i) last = ts::async_future([before = last] { return before.get() + 1; });
    EXPECT_EQ(last.get(), n);
  });
}

TEST_P(future_test, recursion_by_futures_counts_right) {
  struct fibonacci {
    static long of(int n) {
      if (n < 2) return n;
      const auto a = ts::async_future([n] { return of(n - 1); });
      const long b = of(n - 2);
      return a.get() + b;
    }
  };
  run([] { EXPECT_EQ(fibonacci::of(support::k_sanitized ? 12 : 17), support::k_sanitized ? 144 : 1'597); });
}

TEST_P(future_test, waiting_frees_the_worker) {
  // All waiters are there before the value is: with one worker each of them has stepped aside.
  const int n = 200;
  std::atomic<int> started{0};
  run([&] {
    ts::promise<int> value;
    ts::finish([&] {
      for (int i = 0; i < n; ++i) {
        ts::async([&, f = value.get_future()] {
          ++started;
          EXPECT_EQ(f.get(), n);
        });
      }
      while (started != n) ts::yield();
      value.set_value(started);
    });
  });
}

TEST_P(future_test, takes_attributes) {
  run([] {
    EXPECT_EQ(ts::async_future(ts::spawn_policy::help_first, [] { return 1; }).get(), 1);
    EXPECT_EQ(ts::async_future(ts::spawn_policy::work_first, ts::named("two"), [] { return 2; }).get(), 2);
    EXPECT_EQ(ts::async_future(ts::named("three"), [] { return 3; }).get(), 3);
  });
}

TEST_P(future_test, an_exception_that_nobody_looked_at_is_named_on_stderr) {
  testing::internal::CaptureStderr();
  run([] {
    ts::finish([] {
      static_cast<void>(
          ts::async_future(ts::named("forgotten one"), []() -> int { throw std::runtime_error("unseen text"); }));
    });
  });
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(support::contains(printed, "forgotten one")) << printed;
  EXPECT_TRUE(support::contains(printed, "unseen text")) << printed;
}

struct without_text : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};

TEST_P(future_test, an_exception_without_text_is_told_of_too) {
  testing::internal::CaptureStderr();
  run([] {
    ts::finish(
        [] { static_cast<void>(ts::async_future(ts::named("wordless one"), []() -> int { throw without_text(); })); });
  });
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(support::contains(printed, "wordless one")) << printed;
}

TEST_P(future_test, an_exception_that_somebody_looked_at_is_not_printed) {
  testing::internal::CaptureStderr();
  run([] {
    const auto f = ts::async_future(ts::named("seen one"), []() -> int { throw std::runtime_error("seen text"); });
    EXPECT_TRUE(caught<std::runtime_error>([&] { static_cast<void>(f.get()); }));
  });
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_FALSE(support::contains(printed, "seen text")) << printed;
}

}  // namespace
