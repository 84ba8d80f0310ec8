// SPDX-License-Identifier: Apache-2.0
// Every documented misuse ends in its documented error, which names the call and changes nothing.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;
using support::config_of;
using support::contains;

template <class F>
std::string complaint_of(F&& f) {
  const auto e = caught<ts::usage_error>(std::forward<F>(f));
  return e ? e->what() : "no usage_error";
}

// The calls that need a task, each with the word that its complaint must contain.
struct call {
  std::string name;
  std::function<void()> make;
};

std::vector<call> calls_that_need_a_task() {
  static const ts::future<int> ready = ts::run(config_of(1), [] { return ts::async_future([] { return 1; }); });
  static ts::task_local<int> local;
  return {
      {"async", [] { ts::async([] {}); }},
      {"async", [] { ts::async(ts::named("x"), ts::spawn_policy::help_first, [] {}); }},
      {"async_future", [] { static_cast<void>(ts::async_future([] { return 1; })); }},
      {"finish", [] { ts::finish([] {}); }},
      {"for_each", [] { ts::for_each(0, 10, [](int) {}); }},
      {"for_each", [] { ts::for_each(0, 10, 2, [](int) {}); }},
      {"reduce", [] { static_cast<void>(ts::reduce(0, 10, std::plus<>{}, [](int i) { return i; })); }},
      {"yield", [] { ts::yield(); }},
      {"num_workers", [] { static_cast<void>(ts::num_workers()); }},
      {"worker_id", [] { static_cast<void>(ts::worker_id()); }},
      {"get", [] { static_cast<void>(ready.get()); }},
      {"set_value",
       [] {
         const ts::promise<int> p;
         p.set_value(1);
       }},
      {"set_exception",
       [] {
         const ts::promise<int> p;
         p.set_exception(std::make_exception_ptr(std::runtime_error("x")));
       }},
      {"task_local", [] { *local = 1; }},
  };
}

void expect_complaints() {
  for (const call& c : calls_that_need_a_task()) {
    const std::string text = complaint_of(c.make);
    EXPECT_TRUE(contains(text, c.name)) << c.name << ": " << text;
  }
}

TEST(usage_test, outside_a_run_the_calls_that_need_a_task_throw_and_name_themselves) { expect_complaints(); }

TEST(usage_test, in_a_foreign_thread_during_a_run_they_do_so_too) {
  static_cast<void>(calls_that_need_a_task());  // makes the future in a run of its own
  ts::run(config_of(2), [] { std::thread(expect_complaints).join(); });
}

TEST(usage_test, between_two_runs_of_a_runtime_they_do_so_too) {
  static_cast<void>(calls_that_need_a_task());
  ts::runtime rt(config_of(2));
  expect_complaints();
  rt.run([] {});
  expect_complaints();
}

TEST(usage_test, a_body_that_was_refused_has_not_run) {
  bool ran = false;
  EXPECT_TRUE(caught<ts::usage_error>([&] { ts::async([&] { ran = true; }); }));
  EXPECT_TRUE(caught<ts::usage_error>([&] { ts::finish([&] { ran = true; }); }));
  EXPECT_TRUE(caught<ts::usage_error>([&] { ts::for_each(0, 1, [&](int) { ran = true; }); }));
  EXPECT_FALSE(ran);
}

TEST(usage_test, making_copying_and_destroying_handles_is_allowed_anywhere) {
  const auto handles = [] {
    const ts::promise<int> p;
    const ts::promise<int> q(p);
    ts::future<int> f = q.get_future();
    ts::future<int> g(f);
    f = g;
    EXPECT_FALSE(g.ready());
    const ts::task_local<int> t;
    const ts::promise<void> e(ts::external);
    e.set_value();
    EXPECT_TRUE(e.get_future().ready());
    static_cast<void>(ts::stats());
  };
  handles();
  ts::run(config_of(2), [&] {
    handles();
    std::thread(handles).join();
  });
  handles();
}

TEST(usage_test, the_last_handle_of_a_promise_may_be_destroyed_by_a_foreign_thread) {
  ts::run(config_of(2), [] {
    std::optional<ts::promise<int>> p(std::in_place);
    const auto f = p->get_future();
    std::thread([&] { p.reset(); }).join();
    EXPECT_TRUE(caught<ts::broken_promise>([&] { static_cast<void>(f.get()); }));
  });
}

TEST(usage_test, run_inside_a_task_throws) {
  ts::run(config_of(2), [] {
    EXPECT_TRUE(contains(complaint_of([] { ts::run(config_of(1), [] {}); }), "run"));
    ts::finish(
        [] { ts::async([] { EXPECT_TRUE(contains(complaint_of([] { ts::run(config_of(1), [] {}); }), "run")); }); });
  });
}

TEST(usage_test, run_of_the_same_runtime_inside_a_task_throws) {
  ts::runtime rt(config_of(2));
  rt.run([&] { EXPECT_TRUE(contains(complaint_of([&] { rt.run([] {}); }), "run")); });
  EXPECT_EQ(rt.run([] { return 1; }), 1);
}

TEST(usage_test, a_refused_run_does_not_disturb_the_one_that_is_active) {
  const int sum = ts::run(config_of(2), [] {
    EXPECT_TRUE(caught<ts::usage_error>([] { ts::run(config_of(1), [] {}); }));
    return ts::reduce(0, 100, std::plus<>{}, [](int i) { return i; });
  });
  EXPECT_EQ(sum, 4'950);
}

class promise_usage_test : public support::each_setting {};
TACTUS_EACH_SETTING(promise_usage_test);

TEST_P(promise_usage_test, a_second_value_throws_and_the_first_stays) {
  run([] {
    const ts::promise<int> p;
    p.set_value(1);
    EXPECT_TRUE(contains(complaint_of([&] { p.set_value(2); }), "set_value"));
    EXPECT_TRUE(contains(complaint_of([&] { p.set_exception(std::make_exception_ptr(3)); }), "set_exception"));
    EXPECT_EQ(p.get_future().get(), 1);
  });
}

TEST_P(promise_usage_test, a_value_after_an_exception_throws_and_the_exception_stays) {
  run([] {
    const ts::promise<int> p;
    p.set_exception(std::make_exception_ptr(std::out_of_range("first")));
    EXPECT_TRUE(contains(complaint_of([&] { p.set_value(2); }), "set_value"));
    EXPECT_TRUE(caught<std::out_of_range>([&] { static_cast<void>(p.get_future().get()); }));
  });
}

TEST_P(promise_usage_test, of_an_external_promise_a_second_value_throws_anywhere) {
  const ts::promise<int> p(ts::external);
  p.set_value(1);
  EXPECT_TRUE(contains(complaint_of([&] { p.set_value(2); }), "set_value"));
  run([&] {
    EXPECT_TRUE(contains(complaint_of([&] { p.set_value(2); }), "set_value"));
    EXPECT_EQ(p.get_future().get(), 1);
  });
}

TEST_P(promise_usage_test, of_two_tasks_that_set_one_promise_exactly_one_is_refused) {
  run([] {
    for (int i = 0; i < 100; ++i) {
      const ts::promise<int> p;
      std::atomic<int> refused{0};
      ts::finish([&] {
        for (int k = 0; k < 2; ++k) {
          ts::async([&refused, p, k] {
            if (caught<ts::usage_error>([&] { p.set_value(k); })) ++refused;
          });
        }
      });
      ASSERT_EQ(refused.load(), 1);
      ASSERT_TRUE(p.get_future().ready());
    }
  });
}

TEST_P(promise_usage_test, a_plain_promise_refused_to_a_foreign_thread_may_still_be_set_by_a_task) {
  run([] {
    const ts::promise<int> p;
    std::thread([&] { EXPECT_TRUE(contains(complaint_of([&] { p.set_value(1); }), "set_value")); }).join();
    EXPECT_FALSE(p.get_future().ready());
    p.set_value(2);
    EXPECT_EQ(p.get_future().get(), 2);
  });
}

TEST_P(promise_usage_test, a_future_that_never_had_a_promise_cannot_be_waited_for) {
  run([] {
    const ts::future<int> none;
    EXPECT_TRUE(contains(complaint_of([&] { static_cast<void>(none.get()); }), "get"));
    const ts::future<void> nothing;
    EXPECT_TRUE(contains(complaint_of([&] { nothing.get(); }), "get"));
  });
}

TEST_P(promise_usage_test, a_refused_call_in_a_task_is_an_exception_like_any_other) {
  const auto e = caught<ts::multiple_exceptions>([] {
    run([] {
      const ts::promise<int> p;
      p.set_value(1);
      p.set_value(1);
    });
  });
  ASSERT_TRUE(e);
  ASSERT_EQ(e->exceptions().size(), 1u);
  EXPECT_THROW(std::rethrow_exception(e->exceptions().front()), ts::usage_error);
}

}  // namespace
