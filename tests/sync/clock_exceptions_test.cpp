// SPDX-License-Identifier: Apache-2.0
// clock: exceptions that leave a clocked task or the body of a finish, and advances made while one is being handled.
#include <tactus/tactus.hpp>

#include "clock_members.hpp"
#include "support/caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;

class clock_exceptions_test : public support::each_setting {};
TACTUS_EACH_SETTING(clock_exceptions_test);

TEST_P(clock_exceptions_test, a_task_that_throws_is_dropped_and_the_others_go_on) {
  std::atomic<int> passed{0};
  run([&] {
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        for (int i = 0; i < 9; ++i) {
          ts::async(ts::clocked(c), [&passed, c, i] {
            for (int k = 0; k < 5; ++k) {
              if (i == k * 2) throw std::runtime_error("left in phase " + std::to_string(c.phase()));
              c.advance();
            }
            ++passed;
          });
        }
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()),
              (std::vector<std::string>{"left in phase 0", "left in phase 1", "left in phase 2", "left in phase 3",
                                        "left in phase 4"}));
  });
  EXPECT_EQ(passed.load(), 4);
}

TEST_P(clock_exceptions_test, a_future_whose_task_throws_keeps_the_exception_and_drops_the_task) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::future<int> f = ts::async_future(ts::clocked(c), [c]() -> int {
      c.advance();
      throw std::out_of_range("future");
    });
    c.advance();
    c.advance();
    EXPECT_TRUE(caught<std::out_of_range>([&] { static_cast<void>(f.get()); }));
  });
}

TEST_P(clock_exceptions_test, maker_is_dropped_when_the_body_of_its_finish_throws) {
  std::atomic<int> passed{0};
  run([&] {
    EXPECT_TRUE(caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        members::spawn_advancing(c, passed);
        throw std::runtime_error("body");
      });
    }));
  });
  EXPECT_EQ(passed.load(), 1);
}

TEST_P(clock_exceptions_test, of_a_clocked_finish_is_dropped_when_its_body_throws) {
  run([] {
    std::atomic<int> passed{0};
    const auto e = caught<ts::multiple_exceptions>([&] {
      ts::finish(ts::clocked, [&passed](ts::clock c) {
        members::spawn_advancing(c, passed);
        throw std::runtime_error("body");
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(support::messages(e->exceptions()), std::vector<std::string>{"body"});
    EXPECT_EQ(passed.load(), 1);
  });
}

TEST_P(clock_exceptions_test, advance_inside_catch_keeps_the_exception) {
  run([] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < 20; ++i) {
      ts::async(ts::clocked(c), [c, i] {
        const std::string mine = "exception " + std::to_string(i);
        try {
          throw std::runtime_error(mine);
        } catch (const std::runtime_error& e) {
          c.advance();
          EXPECT_EQ(e.what(), mine);
          EXPECT_EQ(support::message(std::current_exception()), mine);
        }
        EXPECT_EQ(std::current_exception(), nullptr);
      });
    }
  });
}

TEST_P(clock_exceptions_test, advance_inside_a_destructor_during_unwinding) {
  struct advances_at_death {
    explicit advances_at_death(const ts::clock& on) : c(on) {}
    advances_at_death(const advances_at_death&) = delete;
    advances_at_death& operator=(const advances_at_death&) = delete;
    ~advances_at_death() {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      c.advance();
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
    ts::clock c;
  };
  run([] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < 20; ++i) {
      ts::async(ts::clocked(c), [c, i] {
        const std::string mine = "unwinding " + std::to_string(i);
        try {
          const advances_at_death guard(c);
          throw std::runtime_error(mine);
        } catch (const std::runtime_error& e) {
          EXPECT_EQ(e.what(), mine);
        }
      });
    }
  });
}

}  // namespace
