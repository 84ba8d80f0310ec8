// SPDX-License-Identifier: Apache-2.0
// What escapes from tasks is collected by their finish, all of it, and thrown once, at its end.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;
using support::messages;
using texts = std::vector<std::string>;

[[noreturn]] void fail(const std::string& text) { throw std::runtime_error(text); }

class exceptions_test : public support::each_setting {};
TACTUS_EACH_SETTING(exceptions_test);

TEST_P(exceptions_test, one_from_a_task_comes_as_multiple_exceptions) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] { ts::finish([] { ts::async([] { fail("one"); }); }); });
    ASSERT_TRUE(e);
    EXPECT_EQ(messages(e->exceptions()), texts{"one"});
  });
}

TEST_P(exceptions_test, one_from_the_body_comes_as_multiple_exceptions) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] { ts::finish([] { fail("body"); }); });
    ASSERT_TRUE(e);
    EXPECT_EQ(messages(e->exceptions()), texts{"body"});
  });
}

TEST_P(exceptions_test, all_of_them_are_collected) {
  const int n = static_cast<int>(support::scaled(1'000, 100));
  texts expected{"body"};
  for (int i = 0; i < n; ++i) expected.push_back("task " + std::to_string(i));
  std::sort(expected.begin(), expected.end());
  run([&] {
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        for (int i = 0; i < n; ++i) ts::async([i] { fail("task " + std::to_string(i)); });
        fail("body");
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(messages(e->exceptions()), expected);
  });
}

TEST_P(exceptions_test, the_other_tasks_run_to_their_end_first) {
  run([] {
    std::atomic<int> ended{0};
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        for (int i = 0; i < 100; ++i) {
          ts::async([&, i] {
            if (i % 10 == 0) fail("early");
            ts::yield();
            ts::async([&] { ++ended; });
          });
        }
      });
    });
    EXPECT_EQ(ended.load(), 90);
    ASSERT_TRUE(e);
    EXPECT_EQ(e->exceptions().size(), 10u);
  });
}

TEST_P(exceptions_test, tasks_spawned_before_the_body_threw_are_joined) {
  run([] {
    int ended = 0;
    EXPECT_TRUE(caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        ts::async([&] {
          ts::yield();
          ended = 1;
        });
        fail("body");
      });
    }));
    EXPECT_EQ(ended, 1);
  });
}

TEST_P(exceptions_test, those_of_an_inner_finish_are_one_element_of_the_outer) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        ts::async([] {
          ts::finish([] {
            ts::async([] { fail("a"); });
            ts::async([] { fail("b"); });
          });
        });
        ts::async([] { fail("c"); });
      });
    });
    ASSERT_TRUE(e);
    ASSERT_EQ(e->exceptions().size(), 2u);
    std::size_t nested = 0;
    for (const std::exception_ptr& element : e->exceptions()) {
      try {
        std::rethrow_exception(element);
      } catch (const ts::multiple_exceptions& inner) {
        ++nested;
        EXPECT_EQ(messages(inner.exceptions()), (texts{"a", "b"}));
      } catch (const std::runtime_error& leaf) {
        EXPECT_STREQ(leaf.what(), "c");
      }
    }
    EXPECT_EQ(nested, 1u);
    EXPECT_EQ(messages(e->flattened()), (texts{"a", "b", "c"}));
  });
}

TEST_P(exceptions_test, one_of_a_task_that_outlives_its_parent_goes_to_the_same_finish) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        ts::async([] { ts::async([] { ts::async([] { fail("late"); }); }); });
        ts::finish([] { ts::async([] {}); });  // not this one's
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(messages(e->exceptions()), texts{"late"});
  });
}

TEST_P(exceptions_test, one_that_a_task_catches_itself_is_nobodys_business) {
  run([] {
    ts::finish([] {
      for (int i = 0; i < 50; ++i) {
        ts::async([i] { EXPECT_TRUE(caught<std::runtime_error>([i] { fail("mine " + std::to_string(i)); })); });
      }
    });
  });
}

TEST_P(exceptions_test, one_caught_around_an_inner_finish_does_not_reach_the_outer) {
  run([] {
    ts::finish([] {
      ts::async([] {
        EXPECT_TRUE(caught<ts::multiple_exceptions>([] { ts::finish([] { ts::async([] { fail("x"); }); }); }));
      });
    });
  });
}

TEST_P(exceptions_test, that_are_no_std_exceptions_are_collected_too) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] { ts::finish([] { ts::async([] { throw 42; }); }); });
    ASSERT_TRUE(e);
    ASSERT_EQ(e->exceptions().size(), 1u);
    EXPECT_THROW(std::rethrow_exception(e->exceptions().front()), int);
  });
}

TEST_P(exceptions_test, keep_their_type_and_their_members) {
  struct special : std::logic_error {
    explicit special(int c) : std::logic_error("special"), code(c) {}
    int code;
  };
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] { ts::finish([] { ts::async([] { throw special(17); }); }); });
    ASSERT_TRUE(e);
    const auto kept = caught<special>([&] { std::rethrow_exception(e->exceptions().front()); });
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->code, 17);
  });
}

TEST_P(exceptions_test, a_value_that_the_body_returned_is_dropped_when_a_task_throws) {
  struct counted {
    explicit counted(std::atomic<int>* alive) : alive_(alive) { ++*alive_; }
    counted(const counted& other) : alive_(other.alive_) { ++*alive_; }
    counted& operator=(const counted&) = delete;
    ~counted() { --*alive_; }
    std::atomic<int>* alive_;
  };
  run([] {
    std::atomic<int> alive{0};
    EXPECT_TRUE(caught<ts::multiple_exceptions>([&] {
      static_cast<void>(ts::finish([&] {
        ts::async([] { fail("task"); });
        return counted(&alive);
      }));
    }));
    EXPECT_EQ(alive.load(), 0);
  });
}

TEST_P(exceptions_test, leave_a_plain_call_as_they_are) {
  run([] {
    const auto e = caught<std::runtime_error>([] {
      const auto parallel = [] {
        ts::async([] {});
        fail("plain");
      };
      parallel();
    });
    ASSERT_TRUE(e);
    EXPECT_STREQ(e->what(), "plain");
  });
}

TEST_P(exceptions_test, that_escape_from_the_program_leave_run_as_multiple_exceptions) {
  const auto e = caught<ts::multiple_exceptions>([] {
    run([] {
      ts::async([] { fail("task"); });
      fail("body");
    });
  });
  ASSERT_TRUE(e);
  EXPECT_EQ(messages(e->exceptions()), (texts{"body", "task"}));
}

TEST_P(exceptions_test, one_that_escapes_alone_from_the_program_leaves_run_as_multiple_exceptions) {
  const auto e = caught<ts::multiple_exceptions>([] { run([]() -> int { fail("body"); }); });
  ASSERT_TRUE(e);
  EXPECT_EQ(messages(e->exceptions()), texts{"body"});
}

TEST_P(exceptions_test, an_unwinding_task_joins_the_finish_it_leaves) {
  // The throw leaves a finish body; objects of the frame around it are destroyed after the tasks that use them.
  run([] {
    std::atomic<int> after_death{0};
    EXPECT_TRUE(caught<ts::multiple_exceptions>([&] {
      std::atomic<bool> alive{true};
      struct guard {
        std::atomic<bool>& flag;
        ~guard() { flag = false; }
      } dies{alive};
      ts::finish([&] {
        for (int i = 0; i < 20; ++i) {
          ts::async([&] {
            ts::yield();
            if (!alive) ++after_death;
          });
        }
        fail("body");
      });
    }));
    EXPECT_EQ(after_death.load(), 0);
  });
}

TEST_P(exceptions_test, a_finish_that_threw_can_be_followed_by_others) {
  run([] {
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(caught<ts::multiple_exceptions>([] { ts::finish([] { ts::async([] { fail("again"); }); }); }));
      int ran = 0;
      ts::finish([&] { ts::async([&] { ran = 1; }); });
      EXPECT_EQ(ran, 1);
    }
  });
}

TEST_P(exceptions_test, deep_nesting_flattens_to_every_leaf) {
  struct nest {
    static void down(int left) {
      ts::finish([left] {
        ts::async([left] { fail("leaf " + std::to_string(left)); });
        if (left > 0) down(left - 1);
      });
    }
  };
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] { nest::down(9); });
    ASSERT_TRUE(e);
    EXPECT_EQ(e->exceptions().size(), 2u);
    EXPECT_EQ(e->flattened().size(), 10u);
  });
}

TEST_P(exceptions_test, text_names_types_and_tasks) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        ts::async(ts::named("reader"), [] { fail("disk full"); });
        ts::async(ts::named("counter"), [] { throw 7; });
        ts::async([] { throw std::logic_error("nobody's"); });
        ts::async(ts::named("looper"), [] { ts::for_each(0, 1, [](int) { fail("element"); }); });
        ts::async(ts::named("summer"), [] {
          static_cast<void>(
              ts::reduce(0, 2, 1, std::plus<>(), [](int i) { return i == 1 ? throw std::range_error("r") : i; }));
        });
      });
    });
    ASSERT_TRUE(e);
    for (const char* const part :
         {"5 exceptions: ", "std::runtime_error: \"disk full\" (task 'reader')",
          "exception of type int (task 'counter')", "std::logic_error: \"nobody's\"",
          "[1 exception: std::runtime_error: \"element\"] (task 'looper')", "[1 exception: std::range_error: \"r\""}) {
      EXPECT_TRUE(support::contains(e->what(), part)) << part << " not in: " << e->what();
    }
  });
}

TEST_P(exceptions_test, text_names_the_task_of_a_finish_whose_body_throws) {
  run([] {
    std::string text;
    ts::finish([&text] {
      ts::async(ts::named("builder"), [&text] {
        const auto e = caught<ts::multiple_exceptions>([] { ts::finish([] { fail("body"); }); });
        text = e ? e->what() : "nothing";
      });
    });
    EXPECT_EQ(text, "1 exception: std::runtime_error: \"body\" (task 'builder')");
  });
}

// Caught and let go in a task, whose stack is small, and by the caller of run.
TEST(multiple_exceptions_test, ends_three_thousand_finishes_above_its_only_leaf) {
  struct nest {
    static void down(int depth) {
      ts::finish([depth] {
        ts::async([depth] {
          if (depth == 0) throw std::runtime_error("leaf");
          down(depth - 1);
        });
      });
    }
  };
  const ts::config child_first{.policy = ts::spawn_policy::work_first, .env = false};
  ts::run(child_first, [] {
    ts::finish([] {
      ts::async([] {
        const auto e = caught<ts::multiple_exceptions>([] { nest::down(3'000); });
        ASSERT_TRUE(e);
        EXPECT_EQ(support::messages(e->flattened()), (std::vector<std::string>{"leaf"}));
      });
    });
  });
  const auto left = caught<ts::multiple_exceptions>([&] { ts::run(child_first, [] { nest::down(3'000); }); });
  ASSERT_TRUE(left);
  EXPECT_EQ(left->flattened().size(), 1u);
}

TEST(multiple_exceptions_test, text_quotes_the_first_sixteen_messages_and_counts_the_rest) {
  std::vector<std::exception_ptr> many;
  for (int i = 0; i < 20; ++i) {
    many.push_back(std::make_exception_ptr(std::runtime_error("<" + std::to_string(i) + ">")));
  }
  const std::string text = ts::multiple_exceptions(many).what();
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(support::contains(text, "<" + std::to_string(i) + ">")) << text;
  for (int i = 16; i < 20; ++i) EXPECT_FALSE(support::contains(text, "<" + std::to_string(i) + ">")) << text;
  EXPECT_TRUE(support::contains(text, "4")) << text;
}

TEST(multiple_exceptions_test, text_quotes_a_single_message) {
  const ts::multiple_exceptions one({std::make_exception_ptr(std::runtime_error("lonely"))});
  EXPECT_TRUE(support::contains(one.what(), "lonely")) << one.what();
}

TEST(multiple_exceptions_test, text_mentions_what_is_no_std_exception) {
  const ts::multiple_exceptions odd({std::make_exception_ptr(3)});
  EXPECT_FALSE(std::string(odd.what()).empty());
}

TEST(multiple_exceptions_test, every_error_of_the_library_is_an_error) {
  static_assert(std::is_base_of_v<std::runtime_error, ts::error>);
  static_assert(std::is_base_of_v<ts::error, ts::usage_error>);
  static_assert(std::is_base_of_v<ts::error, ts::config_error>);
  static_assert(std::is_base_of_v<ts::error, ts::resource_error>);
  static_assert(std::is_base_of_v<ts::error, ts::deadlock_error>);
  static_assert(std::is_base_of_v<ts::error, ts::broken_promise>);
  static_assert(std::is_base_of_v<ts::error, ts::multiple_exceptions>);
}

}  // namespace
