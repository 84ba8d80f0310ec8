// SPDX-License-Identifier: Apache-2.0
// Every misuse of a clock throws at once, in the misuser, names the operation and changes nothing: what follows the error
// goes on as if the call had not been made.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <functional>
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

// What the error of type Error says that f threw.
template <class Error, class F>
std::string complaint_of(F&& f) {
  const auto e = caught<Error>(std::forward<F>(f));
  return e ? e->what() : "nothing was thrown";
}

template <class F>
std::string clock_complaint_of(F&& f) {
  return complaint_of<ts::clock_use_error>(std::forward<F>(f));
}

// The operations that need registration, each with the word that its complaint must contain.
struct operation {
  const char* name;
  std::function<void(const ts::clock&)> call;
};

std::vector<operation> operations_that_need_registration() {
  return {
      {"advance", [](const ts::clock& c) { c.advance(); }},
      {"advance", [](const ts::clock& c) { c.advance(ts::wait::eager); }},
      {"advance", [](const ts::clock& c) { c.advance(ts::wait::lazy); }},
      {"resume", [](const ts::clock& c) { c.resume(); }},
      {"resume", [](const ts::clock& c) { c.resume(ts::wait::lazy); }},
      {"drop", [](const ts::clock& c) { c.drop(); }},
      {"phase", [](const ts::clock& c) { static_cast<void>(c.phase()); }},
      {"async", [](const ts::clock& c) { ts::async(ts::clocked(c), [] { FAIL() << "was spawned"; }); }},
      {"async",
       [](const ts::clock& c) {
         ts::async(ts::spawn_policy::work_first, ts::clocked(c), [] { FAIL() << "was spawned"; });
       }},
      {"async",
       [](const ts::clock& c) {
         ts::async(ts::clocked(c), ts::spawn_policy::help_first, ts::named("x"), [] { FAIL() << "was spawned"; });
       }},
      {"async_future",
       [](const ts::clock& c) {
         static_cast<void>(ts::async_future(ts::clocked(c), [] {
           ADD_FAILURE() << "was spawned";
           return 1;
         }));
       }},
  };
}

void expect_refused(const ts::clock& c) {
  for (const operation& o : operations_that_need_registration()) {
    const std::string text = clock_complaint_of([&] { o.call(c); });
    EXPECT_TRUE(contains(text, o.name)) << o.name << ": " << text;
  }
}

class clock_misuse_test : public support::each_setting {};
TACTUS_EACH_SETTING(clock_misuse_test);

TEST(clock_use_error_test, is_an_error_of_the_library) {
  EXPECT_THROW(throw ts::clock_use_error("text"), ts::error);
  EXPECT_STREQ(ts::clock_use_error("text").what(), "text");
}

// ---- which clock, and who ----

TEST_P(clock_misuse_test, names_the_clock_and_the_task) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    std::vector<std::string> texts;
    ts::finish([&] {
      ts::async(ts::named("stranger"), [&] {
        for (const ts::clock& one : {c, d}) texts.push_back(clock_complaint_of([&one] { one.advance(); }));
      });
    });
    const std::string start = "tactus::clock::advance: clock ";
    for (const std::string& text : texts) {
      EXPECT_EQ(text.rfind(start, 0), 0U) << text;
      EXPECT_TRUE(contains(text, ": the calling task 'stranger' is not registered on it")) << text;
    }
    EXPECT_NE(texts[0], texts[1]);
    ts::finish([&] {
      ts::async(ts::named("outside"), [&] { expect_refused(c); });
      const std::string across = clock_complaint_of([&] { ts::async(ts::clocked(c), [] {}); });
      EXPECT_TRUE(contains(across, "with clocked: clock ")) << across;
    });
    const auto in_step = caught<ts::multiple_exceptions>([&c] {
      int rounds = 0;
      ts::lockstep(0, 1, [&rounds] { return rounds++ < 1; }, [&c](int) { c.advance(); });
    });
    ASSERT_TRUE(in_step);
    EXPECT_TRUE(contains(in_step->what(), start)) << in_step->what();
  });
}

// ---- not registered ----

TEST_P(clock_misuse_test, by_a_task_that_was_never_registered_is_refused) {
  run([] {
    const ts::clock c = ts::clock::make();
    ts::finish([&] { ts::async([c] { expect_refused(c); }); });
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_misuse_test, by_a_task_that_is_registered_on_another_clock_is_refused) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    ts::async(ts::clocked(d), [c, d] {
      expect_refused(c);
      d.advance();
      EXPECT_EQ(d.phase(), 1u);
    });
    ts::advance_all();
    EXPECT_EQ(c.phase(), 1u);
    EXPECT_EQ(d.phase(), 1u);
  });
}

TEST_P(clock_misuse_test, after_drop_is_refused) {
  run([] {
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [c] {
      c.drop();
      expect_refused(c);
    });
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_misuse_test, after_drop_by_the_last_task_is_refused) {
  run([] {
    const ts::clock c = ts::clock::make();
    c.advance();
    c.drop();
    expect_refused(c);
    EXPECT_FALSE(c.registered());
  });
}

TEST_P(clock_misuse_test, by_the_maker_after_the_body_of_its_finish_is_refused) {
  run([] {
    std::vector<ts::clock> kept;
    ts::finish([&] { kept.push_back(ts::clock::make()); });
    expect_refused(kept.front());
  });
}

TEST_P(clock_misuse_test, of_a_clock_from_an_earlier_run_is_refused) {
  std::vector<ts::clock> kept;
  run([&] { kept.push_back(ts::clock::make()); });
  run([&] { expect_refused(kept.front()); });
}

TEST_P(clock_misuse_test, by_an_element_of_for_each_is_refused) {
  run([] {
    const ts::clock c = ts::clock::make();
    ts::for_each(0, 4, 2, [c](int) { expect_refused(c); });
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_misuse_test, by_a_step_of_lockstep_is_refused) {
  run([] {
    const ts::clock c = ts::clock::make();
    int rounds = 0;
    ts::lockstep(0, 4, [&rounds] { return rounds++ < 1; }, [c](int) { expect_refused(c); });
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_misuse_test, does_not_count_as_an_arrival) {
  // The others wait for the one registered task that is missing, whatever an unregistered one tries meanwhile.
  run([] {
    std::atomic<bool> arrived{false};
    const ts::promise<void> tried;
    ts::finish([&] {
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), [&arrived, c, opened = tried.get_future()] {
        opened.get();
        arrived = true;
        c.advance();
      });
      ts::async([c, tried] {
        for (int i = 0; i < 10; ++i) expect_refused(c);
        tried.set_value();
      });
      c.advance();
      EXPECT_TRUE(arrived);
    });
  });
}

TEST_P(clock_misuse_test, at_a_spawn_names_no_other_clock_of_the_list) {
  // The child is refused for the second clock; it must not have been counted on the first.
  run([] {
    const ts::clock mine = ts::clock::make();
    const ts::clock left = ts::clock::make();
    left.drop();
    for (int i = 0; i < 10; ++i) {
      const std::string text =
          clock_complaint_of([&] { ts::async(ts::clocked(mine, left), [] { FAIL() << "was spawned"; }); });
      EXPECT_TRUE(contains(text, "async")) << text;
      EXPECT_TRUE(caught<ts::clock_use_error>(
          [&] { ts::async(ts::clocked(mine), ts::clocked(left), [] { FAIL() << "was spawned"; }); }));
    }
    mine.advance();
    EXPECT_EQ(mine.phase(), 1u);
  });
}

TEST_P(clock_misuse_test, in_a_task_is_an_exception_like_any_other) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        const ts::clock c = ts::clock::make();
        ts::async([c] { c.advance(); });
      });
    });
    ASSERT_TRUE(e);
    ASSERT_EQ(e->exceptions().size(), 1u);
    EXPECT_THROW(std::rethrow_exception(e->exceptions().front()), ts::clock_use_error);
  });
}

// ---- a child inside a finish, on a clock that the finish's own task holds from outside ----

template <class F>
void expect_spawn_refused(const ts::clock& c, F spawn) {
  const std::string text = clock_complaint_of([&] { spawn(c); });
  EXPECT_TRUE(contains(text, "async")) << text;
  EXPECT_TRUE(contains(text, "finish")) << text;
}

void spawn_on(const ts::clock& c) {
  ts::async(ts::clocked(c), [] { FAIL() << "was spawned"; });
}

TEST_P(clock_misuse_test, by_a_spawn_inside_a_finish_on_a_clock_from_outside_is_refused) {
  run([] {
    const ts::clock c = ts::clock::make();
    ts::finish([&] {
      expect_spawn_refused(c, spawn_on);
      expect_spawn_refused(c, [](const ts::clock& on) {
        static_cast<void>(ts::async_future(ts::clocked(on), [] { FAIL() << "was spawned"; }));
      });
      c.advance();
    });
    EXPECT_EQ(c.phase(), 1u);
    c.advance();
    EXPECT_EQ(c.phase(), 2u);
  });
}

TEST_P(clock_misuse_test, by_a_spawn_inside_two_finishes_on_a_clock_from_between_is_refused) {
  run([] {
    ts::finish([] {
      const ts::clock c = ts::clock::make();
      ts::finish([&] { expect_spawn_refused(c, spawn_on); });
      ts::async(ts::clocked(c), [c] { c.advance(); });
      c.advance();
      EXPECT_EQ(c.phase(), 1u);
    });
  });
}

TEST_P(clock_misuse_test, by_a_spawn_in_the_finish_of_a_child_that_was_registered_outside_it_is_refused) {
  run([] {
    const ts::clock c = ts::clock::make();
    ts::async(ts::clocked(c), [c] {
      ts::finish([&] { expect_spawn_refused(c, spawn_on); });
      c.advance();
      EXPECT_EQ(c.phase(), 1u);
    });
    c.advance();
  });
}

TEST_P(clock_misuse_test, by_a_spawn_in_a_clocked_finish_on_an_outer_clock_is_refused) {
  run([] {
    const ts::clock outer = ts::clock::make();
    ts::finish(ts::clocked, [outer](ts::clock inner) {
      expect_spawn_refused(outer, spawn_on);
      EXPECT_TRUE(
          caught<ts::clock_use_error>([&] { ts::async(ts::clocked(inner, outer), [] { FAIL() << "was spawned"; }); }));
      ts::async(ts::clocked(inner), [inner] { inner.advance(); });
      inner.advance();
      EXPECT_EQ(inner.phase(), 1u);
    });
    outer.advance();
    EXPECT_EQ(outer.phase(), 1u);
  });
}

TEST_P(clock_misuse_test, by_such_a_spawn_also_after_a_resume_is_refused) {
  run([] {
    const ts::clock c = ts::clock::make();
    c.resume();
    ts::finish([&] { expect_spawn_refused(c, spawn_on); });
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

TEST_P(clock_misuse_test, ends_with_the_finish_after_which_a_child_may_join) {
  std::atomic<int> passed{0};
  run([&] {
    const ts::clock c = ts::clock::make();
    ts::finish([&] { expect_spawn_refused(c, spawn_on); });
    ts::async(ts::clocked(c), [&passed, c] {
      c.advance();
      ++passed;
    });
    c.advance();
  });
  EXPECT_EQ(passed.load(), 1);
}

TEST_P(clock_misuse_test, is_no_misuse_for_a_clock_made_in_the_same_finish) {
  std::atomic<int> passed{0};
  run([&] {
    const ts::clock outer = ts::clock::make();
    ts::finish([&] {
      const ts::clock inner = ts::clock::make();
      ts::async(ts::clocked(inner), [&passed, inner] {
        // Neither is it one for a child of this finish that spawns no deeper.
        ts::async(ts::clocked(inner), [&passed, inner] {
          inner.advance();
          ++passed;
        });
        inner.advance();
      });
    });
    outer.advance();
  });
  EXPECT_EQ(passed.load(), 1);
}

// ---- not in a task ----

void expect_usage_errors(const ts::clock& c) {
  for (const operation& o : operations_that_need_registration()) {
    const std::string text = complaint_of<ts::usage_error>([&] { o.call(c); });
    EXPECT_TRUE(contains(text, o.name)) << o.name << ": " << text;
  }
  const std::vector<operation> others = {
      {"make", [](const ts::clock&) { static_cast<void>(ts::clock::make()); }},
      {"registered", [](const ts::clock& k) { static_cast<void>(k.registered()); }},
      {"dropped", [](const ts::clock& k) { static_cast<void>(k.dropped()); }},
      {"advance_all", [](const ts::clock&) { ts::advance_all(); }},
      {"resume_all", [](const ts::clock&) { ts::resume_all(); }},
      {"finish", [](const ts::clock&) { ts::finish(ts::clocked, [](ts::clock) { FAIL() << "the body has run"; }); }},
      {"lockstep",
       [](const ts::clock&) {
         ts::lockstep(0, 1, [] { return true; }, [](int) { throw std::logic_error("a step has run"); });
       }},
  };
  for (const operation& o : others) {
    const std::string text = complaint_of<ts::usage_error>([&] { o.call(c); });
    EXPECT_TRUE(contains(text, o.name)) << o.name << ": " << text;
  }
}

TEST(clock_outside_tasks_test, every_operation_throws_usage_error_outside_a_run) {
  std::vector<ts::clock> kept;
  ts::run(config_of(1), [&] { kept.push_back(ts::clock::make()); });
  expect_usage_errors(kept.front());
}

TEST_P(clock_misuse_test, from_a_foreign_thread_is_a_usage_error_and_changes_nothing) {
  run([] {
    const ts::clock c = ts::clock::make();
    std::thread([&] { expect_usage_errors(c); }).join();
    EXPECT_TRUE(c.registered());
    EXPECT_EQ(c.phase(), 0u);
    c.advance();
    EXPECT_EQ(c.phase(), 1u);
  });
}

}  // namespace
