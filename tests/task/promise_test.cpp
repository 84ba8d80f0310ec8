// SPDX-License-Identifier: Apache-2.0
// promise: set by a task or, when external, by any thread; broken when its last handle goes away unset.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;
using support::contains;

class promise_test : public support::each_setting {};
TACTUS_EACH_SETTING(promise_test);

TEST_P(promise_test, value_set_before_get) {
  run([] {
    ts::promise<int> p;
    p.set_value(3);
    EXPECT_EQ(p.get_future().get(), 3);
  });
}

TEST_P(promise_test, value_set_while_a_task_waits) {
  run([] {
    ts::promise<std::string> p;
    std::string got;
    ts::finish([&] {
      ts::async([&got, f = p.get_future()] { got = f.get(); });
      ts::yield();
      p.set_value("later");
    });
    EXPECT_EQ(got, "later");
  });
}

TEST_P(promise_test, value_set_in_braces) {
  run([] {
    ts::promise<std::vector<int>> p;
    p.set_value({1, 2, 3});
    EXPECT_EQ(p.get_future().get(), (std::vector<int>{1, 2, 3}));
  });
}

TEST_P(promise_test, exception_set_reaches_every_waiter) {
  run([] {
    ts::promise<int> p;
    std::atomic<int> caught_it{0};
    ts::finish([&] {
      for (int i = 0; i < 20; ++i) {
        ts::async([&caught_it, f = p.get_future()] {
          if (caught<std::out_of_range>([&] { static_cast<void>(f.get()); })) ++caught_it;
        });
      }
      p.set_exception(std::make_exception_ptr(std::out_of_range("set")));
    });
    EXPECT_EQ(caught_it.load(), 20);
  });
}

TEST_P(promise_test, of_void_and_of_a_reference) {
  int target = 0;
  run([&] {
    ts::promise<void> nothing;
    ts::promise<int&> reference;
    ts::async([nothing, reference, &target] {
      reference.set_value(target);
      nothing.set_value();
    });
    nothing.get_future().get();
    EXPECT_EQ(&reference.get_future().get(), &target);
  });
}

TEST_P(promise_test, takes_a_move_only_value) {
  run([] {
    ts::promise<std::unique_ptr<int>> p;
    p.set_value(std::make_unique<int>(6));
    EXPECT_EQ(*p.get_future().get(), 6);
  });
}

TEST_P(promise_test, copies_of_a_handle_share_one_state) {
  run([] {
    ts::promise<int> p;
    const ts::promise<int> q = p;
    const auto f = p.get_future();
    const auto g = q.get_future();
    q.set_value(2);
    EXPECT_EQ(&f.get(), &g.get());
  });
}

TEST_P(promise_test, what_came_before_the_set_is_seen_after_the_get) {
  run([] {
    for (int i = 0; i < 200; ++i) {
      int plain = 0;
      ts::finish([&] {
        ts::promise<void> p;
        ts::async([&plain, f = p.get_future()] {
          f.get();
          EXPECT_EQ(plain, 7);
        });
        ts::async([&plain, p] {
          plain = 7;
          p.set_value();
        });
      });
    }
  });
}

TEST_P(promise_test, destroyed_unset_it_breaks_for_those_who_wait) {
  run([] {
    std::optional<ts::promise<int>> p(std::in_place);
    int broken = 0;
    ts::finish([&] {
      ts::async([&broken, f = p->get_future()] {
        if (caught<ts::broken_promise>([&] { static_cast<void>(f.get()); })) broken = 1;
      });
      ts::yield();
      p.reset();
    });
    EXPECT_EQ(broken, 1);
  });
}

TEST_P(promise_test, destroyed_unset_it_breaks_for_those_who_come_later) {
  run([] {
    const ts::future<int> f = ts::promise<int>().get_future();
    EXPECT_TRUE(f.ready());
    EXPECT_TRUE(caught<ts::broken_promise>([&] { static_cast<void>(f.get()); }));
  });
}

std::string text_of_broken(const ts::future<int>& f) {
  const auto e = caught<ts::broken_promise>([&f] { static_cast<void>(f.get()); });
  return e ? e->what() : "not broken";
}

TEST_P(promise_test, destroyed_unset_it_says_whose_it_was_and_which_task_did_it) {
  run([] {
    std::optional<ts::promise<int>> p(std::in_place);
    std::optional<ts::promise<int>> q(std::in_place);
    const auto f = p->get_future();
    const auto g = q->get_future();
    ts::finish([&] { ts::async(ts::named("forgetful"), [&p] { p.reset(); }); });
    std::thread([&q] { q.reset(); }).join();
    EXPECT_TRUE(contains(text_of_broken(f), "was destroyed by task 'forgetful' before")) << text_of_broken(f);
    EXPECT_TRUE(contains(text_of_broken(g), "was destroyed outside of tasks before")) << text_of_broken(g);
    EXPECT_NE(text_of_broken(f).substr(0, 40), text_of_broken(g).substr(0, 40));  // the numbers
  });
}

TEST_P(promise_test, refuses_a_null_exception) {
  run([] {
    const ts::promise<std::string> p;
    const auto e = caught<ts::usage_error>([&] { p.set_exception(std::current_exception()); });
    ASSERT_TRUE(e);
    EXPECT_TRUE(contains(e->what(), "null")) << e->what();
    p.set_value("still to be set");
    EXPECT_EQ(p.get_future().get(), "still to be set");
  });
}

// What a task waits for is called as where its promise is misused.
TEST_P(promise_test, has_a_number_in_texts) {
  const auto stuck = caught<ts::deadlock_error>([] {
    run([] {
      const ts::promise<int> p;
      const ts::promise<int> q;
      p.set_value(1);
      const auto e = caught<ts::usage_error>([&] { p.set_value(2); });
      ASSERT_TRUE(e);
      EXPECT_TRUE(contains(e->what(), "the promise of future ")) << e->what();
      for (int i = 0; i < 2; ++i) {
        ts::async([f = (i == 0 ? p : q).get_future(), g = q.get_future()] { static_cast<void>(f.get() + g.get()); });
      }
      ts::async([g = ts::promise<int>(q).get_future(), q] { static_cast<void>(g.get()); });
    });
  });
  ASSERT_TRUE(stuck);
  const std::string text = stuck->what();
  const std::size_t at = text.find("waits for future ");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string wait = text.substr(at, text.find(" of a promise", at) - at);
  std::size_t times = 0;
  for (std::size_t i = text.find(wait); i != std::string::npos; i = text.find(wait, i + 1)) ++times;
  EXPECT_EQ(times, 3U) << text;  // all three wait for q's
}

TEST_P(promise_test, breaks_with_the_last_handle_only) {
  run([] {
    std::optional<ts::promise<int>> p(std::in_place);
    std::optional<ts::promise<int>> q(*p);
    const auto f = p->get_future();
    p.reset();
    EXPECT_FALSE(f.ready());
    q->set_value(4);
    q.reset();
    EXPECT_EQ(f.get(), 4);
  });
}

TEST_P(promise_test, that_a_task_took_along_breaks_when_that_task_ends_without_setting_it) {
  run([] {
    ts::promise<int> p;
    const auto f = p.get_future();
    ts::async([taken = std::move(p)] {});
    EXPECT_TRUE(caught<ts::broken_promise>([&] { static_cast<void>(f.get()); }));
  });
}

TEST_P(promise_test, may_be_made_and_copied_outside_a_run) {
  const ts::promise<int> p;
  const ts::promise<int> copy(p);
  const ts::future<int> f = copy.get_future();
  EXPECT_FALSE(f.ready());
  run([&] {
    p.set_value(10);
    EXPECT_EQ(f.get(), 10);
  });
  EXPECT_TRUE(f.ready());
}

TEST_P(promise_test, external_may_be_set_by_a_task) {
  run([] {
    ts::promise<int> p(ts::external);
    ts::async([p] { p.set_value(1); });
    EXPECT_EQ(p.get_future().get(), 1);
  });
}

TEST_P(promise_test, external_may_be_set_before_the_run) {
  const ts::promise<int> p(ts::external);
  p.set_value(11);
  EXPECT_TRUE(p.get_future().ready());
  run([&] { EXPECT_EQ(p.get_future().get(), 11); });
}

TEST_P(promise_test, external_set_by_another_thread_wakes_the_waiters) {
  const int n = static_cast<int>(support::scaled(500, 20));
  std::atomic<int> sum{0};
  const ts::promise<int> p(ts::external);
  const ts::promise<void> all_started(ts::external);
  std::thread outside;
  run([&] {
    std::atomic<int> started{0};
    ts::finish([&] {
      for (int i = 0; i < n; ++i) {
        ts::async([&, f = p.get_future()] {
          ++started;
          sum += f.get();
        });
      }
      while (started != n) ts::yield();
      outside = std::thread([p] { p.set_value(2); });
    });
    all_started.set_value();
  });
  outside.join();
  EXPECT_EQ(sum.load(), 2 * n);
}

TEST_P(promise_test, external_exception_set_by_another_thread_reaches_the_waiter) {
  std::thread outside;
  run([&] {
    const ts::promise<int> p(ts::external);
    outside = std::thread([p] { p.set_exception(std::make_exception_ptr(std::out_of_range("outside"))); });
    EXPECT_TRUE(caught<std::out_of_range>([&] { static_cast<void>(p.get_future().get()); }));
  });
  outside.join();
}

TEST_P(promise_test, external_destroyed_unset_by_another_thread_breaks) {
  std::thread outside;
  run([&] {
    std::optional<ts::promise<int>> p(std::in_place, ts::external);
    const auto f = p->get_future();
    outside = std::thread([taken = std::move(*p)]() mutable { const ts::promise<int> dies = std::move(taken); });
    p.reset();
    EXPECT_TRUE(caught<ts::broken_promise>([&] { static_cast<void>(f.get()); }));
  });
  outside.join();
}

TEST_P(promise_test, external_handovers_between_threads_and_tasks_lose_no_wake_up) {
  // A thread answers each question; the task waits each time with nothing else to do, so workers park and are woken.
  const int rounds = static_cast<int>(support::scaled(1'000, 50));
  std::vector<ts::promise<int>> questions;
  std::vector<ts::promise<int>> answers;
  for (int i = 0; i < rounds; ++i) {
    questions.emplace_back(ts::external);
    answers.emplace_back(ts::external);
  }
  std::thread outside([&] {
    for (int i = 0; i < rounds; ++i) {
      const auto question = questions[static_cast<std::size_t>(i)].get_future();
      while (!question.ready()) std::this_thread::yield();
      answers[static_cast<std::size_t>(i)].set_value(i);
    }
  });
  run([&] {
    for (int i = 0; i < rounds; ++i) {
      questions[static_cast<std::size_t>(i)].set_value(i);
      EXPECT_EQ(answers[static_cast<std::size_t>(i)].get_future().get(), i);
    }
  });
  outside.join();
}

TEST_P(promise_test, ping_pong_between_two_tasks_loses_no_wake_up) {
  const std::size_t rounds = support::scaled(2'000, 100);
  std::vector<ts::promise<std::size_t>> there(rounds);
  std::vector<ts::promise<std::size_t>> back(rounds);
  run([&] {
    ts::finish([&] {
      ts::async([&] {
        for (std::size_t i = 0; i < rounds; ++i) {
          there[i].set_value(i);
          EXPECT_EQ(back[i].get_future().get(), i + 1);
        }
      });
      ts::async([&] {
        for (std::size_t i = 0; i < rounds; ++i) back[i].set_value(there[i].get_future().get() + 1);
      });
    });
  });
}

}  // namespace
