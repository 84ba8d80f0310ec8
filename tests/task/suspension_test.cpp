// SPDX-License-Identifier: Apache-2.0
// A task may stop anywhere: in the middle of handling an exception, in a destructor, by the hundred thousand.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/parallel.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;

class suspension_test : public support::each_setting {};
TACTUS_EACH_SETTING(suspension_test);

TEST_P(suspension_test, tasks_that_wait_for_one_promise_all_start) {
  const std::size_t n = support::scaled_or_full(100'000, 1'000'000);
  std::atomic<std::size_t> started{0};
  std::atomic<std::size_t> ended{0};
  run([&] {
    ts::promise<void> gate;
    ts::finish([&] {
      for (std::size_t i = 0; i < n; ++i) {
        ts::async([&, opened = gate.get_future()] {
          ++started;
          opened.get();
          ++ended;
        });
      }
      while (started != n) ts::yield();
      EXPECT_EQ(ended.load(), 0u);
      gate.set_value();
    });
  });
  EXPECT_EQ(ended.load(), n);
}

TEST_P(suspension_test, locals_survive) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      ts::async([i] {
        std::array<int, 500> locals{};
        for (std::size_t k = 0; k < locals.size(); ++k) locals[k] = i + static_cast<int>(k);
        for (int round = 0; round < 5; ++round) ts::yield();
        for (std::size_t k = 0; k < locals.size(); ++k) ASSERT_EQ(locals[k], i + static_cast<int>(k));
      });
    }
  });
}

TEST_P(suspension_test, floating_point_state_survives) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      ts::async([i] {
        double a = i * 0.1;
        long double b = i * 0.3L;
        for (int k = 0; k < 10; ++k) {
          a = a * 1.5 + k;
          b = b * 1.5L + k;
          ts::yield();
        }
        double a_plain = i * 0.1;
        long double b_plain = i * 0.3L;
        for (int k = 0; k < 10; ++k) {
          a_plain = a_plain * 1.5 + k;
          b_plain = b_plain * 1.5L + k;
        }
        EXPECT_EQ(a, a_plain);
        EXPECT_EQ(b, b_plain);
      });
    }
  });
}

// Each of these tasks handles an exception of its own while the others do the same on the same workers.
template <class Wait>
void expect_own_exception_across(Wait wait) {
  for (int i = 0; i < 40; ++i) {
    ts::async([wait, i] {
      const std::string mine = "exception " + std::to_string(i);
      try {
        throw std::runtime_error(mine);
      } catch (const std::runtime_error& e) {
        wait();
        EXPECT_EQ(e.what(), mine);
        EXPECT_EQ(support::message(std::current_exception()), mine);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        try {
          throw;
        } catch (const std::runtime_error& again) {
          EXPECT_EQ(again.what(), mine);
          wait();
        }
        EXPECT_EQ(support::message(std::current_exception()), mine);
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    });
  }
}

TEST_P(suspension_test, yield_inside_catch_keeps_the_exception) {
  run([] { expect_own_exception_across([] { ts::yield(); }); });
  EXPECT_EQ(std::current_exception(), nullptr);
}

TEST_P(suspension_test, get_inside_catch_keeps_the_exception) {
  run([] {
    ts::promise<void> gate;
    ts::finish([&] {
      expect_own_exception_across([opened = gate.get_future()] { opened.get(); });
      ts::async([gate] { gate.set_value(); });
    });
  });
}

TEST_P(suspension_test, async_inside_catch_keeps_the_exception) {
  run([] {
    expect_own_exception_across([] {
      for (int k = 0; k < 3; ++k) {
        ts::async([] {
          EXPECT_EQ(std::current_exception(), nullptr);
          EXPECT_TRUE(caught<std::logic_error>([] { throw std::logic_error("the child's own"); }));
        });
      }
    });
  });
}

TEST_P(suspension_test, finish_inside_catch_keeps_the_exception) {
  run([] {
    expect_own_exception_across([] {
      ts::finish([] {
        for (int k = 0; k < 3; ++k) {
          ts::async([] {
            EXPECT_EQ(std::current_exception(), nullptr);
            ts::yield();
            EXPECT_TRUE(caught<std::logic_error>([] { throw std::logic_error("the child's own"); }));
          });
        }
      });
    });
  });
}

TEST_P(suspension_test, for_each_inside_catch_keeps_the_exception) {
  run([] {
    expect_own_exception_across([] {
      ts::for_each(0, 6, 3, [](int i) {
        EXPECT_EQ(std::current_exception(), nullptr);
        if (i % 2 == 0) ts::yield();
        EXPECT_TRUE(caught<std::logic_error>([] { throw std::logic_error("the call's own"); }));
      });
    });
  });
}

TEST_P(suspension_test, a_failing_finish_inside_catch_keeps_the_exception) {
  run([] {
    expect_own_exception_across([] {
      EXPECT_TRUE(caught<ts::multiple_exceptions>([] {
        ts::finish([] {
          ts::async([] { throw std::logic_error("child"); });
          throw std::logic_error("body");
        });
      }));
    });
  });
}

// Suspends in its destructor, which runs while an exception passes by.
template <class Wait>
struct suspends_at_death {
  Wait wait;
  explicit suspends_at_death(Wait w) : wait(std::move(w)) {}
  suspends_at_death(const suspends_at_death&) = delete;
  suspends_at_death& operator=(const suspends_at_death&) = delete;
  ~suspends_at_death() {
    EXPECT_EQ(std::uncaught_exceptions(), 1);
    wait();
    EXPECT_EQ(std::uncaught_exceptions(), 1);
  }
};

template <class Wait>
void expect_unwinding_goes_on_after(Wait wait) {
  for (int i = 0; i < 40; ++i) {
    ts::async([wait, i] {
      const std::string mine = "unwinding " + std::to_string(i);
      try {
        const suspends_at_death<Wait> guard(wait);
        throw std::runtime_error(mine);
      } catch (const std::runtime_error& e) {
        EXPECT_EQ(e.what(), mine);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
      }
    });
  }
}

TEST_P(suspension_test, yield_inside_a_destructor_during_unwinding) {
  run([] { expect_unwinding_goes_on_after([] { ts::yield(); }); });
}

TEST_P(suspension_test, get_inside_a_destructor_during_unwinding) {
  run([] {
    ts::promise<void> gate;
    ts::finish([&] {
      expect_unwinding_goes_on_after([opened = gate.get_future()] { opened.get(); });
      ts::async([gate] { gate.set_value(); });
    });
  });
}

TEST_P(suspension_test, async_inside_a_destructor_during_unwinding) {
  run([] {
    expect_unwinding_goes_on_after([] {
      ts::async([] {
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        EXPECT_TRUE(caught<std::logic_error>([] { throw std::logic_error("the child's own"); }));
      });
    });
  });
}

TEST_P(suspension_test, finish_inside_a_destructor_during_unwinding) {
  run([] {
    expect_unwinding_goes_on_after([] {
      ts::finish([] {
        ts::async([] {
          EXPECT_EQ(std::uncaught_exceptions(), 0);
          ts::yield();
        });
      });
    });
  });
}

TEST_P(suspension_test, for_each_inside_a_destructor_during_unwinding) {
  run([] {
    expect_unwinding_goes_on_after([] {
      ts::for_each(0, 6, 3, [](int i) {
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        if (i % 2 == 0) ts::yield();
      });
    });
  });
}

TEST_P(suspension_test, an_exception_may_be_passed_on_and_handled_by_another_task) {
  // Kept until all are joined: ThreadSanitizer does not see how libstdc++ counts references, and takes the end of the last one for a
  // race with whoever read the text before.
  std::vector<std::exception_ptr> kept;
  run([&kept] {
    for (int i = 0; i < 50; ++i) {
      const std::string text = "passed " + std::to_string(i);
      try {
        throw std::runtime_error(text);
      } catch (...) {
        kept.push_back(std::current_exception());
        ts::async([e = std::current_exception(), text] {
          EXPECT_EQ(support::message(e), text);
          ts::yield();
          EXPECT_TRUE(caught<std::runtime_error>([&] { std::rethrow_exception(e); }));
        });
      }
    }
  });
}

// With two workers or more a continuation can be forced to move: the child keeps its worker until the spawner has gone on.
class stolen_continuation_test : public support::each_setting {};
TACTUS_EACH_PARALLEL_SETTING(stolen_continuation_test);

TEST_P(stolen_continuation_test, inside_catch_finds_its_exception) {
  run([] {
    for (int i = 0; i < 100; ++i) {
      const std::string mine = "mine " + std::to_string(i);
      support::event gone_on;
      ts::finish([&] {
        try {
          throw std::runtime_error(mine);
        } catch (const std::runtime_error& e) {
          ts::async(ts::spawn_policy::work_first, [&] {
            EXPECT_EQ(std::current_exception(), nullptr);
            gone_on.await();
            EXPECT_TRUE(caught<std::logic_error>([] { throw std::logic_error("child"); }));
          });
          EXPECT_EQ(support::message(std::current_exception()), mine);
          gone_on.set();
          EXPECT_EQ(e.what(), mine);
          EXPECT_THROW(throw, std::runtime_error);
        }
        EXPECT_EQ(std::current_exception(), nullptr);
      });
    }
  });
}

TEST_P(stolen_continuation_test, inside_a_destructor_goes_on_unwinding) {
  struct spawns_at_death {
    support::event& gone_on;
    explicit spawns_at_death(support::event& e) : gone_on(e) {}
    spawns_at_death(const spawns_at_death&) = delete;
    spawns_at_death& operator=(const spawns_at_death&) = delete;
    ~spawns_at_death() {
      ts::async(ts::spawn_policy::work_first, [&e = gone_on] {
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        e.await();
      });
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      gone_on.set();
    }
  };
  run([] {
    for (int i = 0; i < 100; ++i) {
      support::event gone_on;
      ts::finish([&] {
        const auto e = caught<std::runtime_error>([&] {
          const spawns_at_death guard(gone_on);
          throw std::runtime_error("unwinding");
        });
        EXPECT_TRUE(e);
        EXPECT_EQ(std::uncaught_exceptions(), 0);
      });
    }
  });
}

TEST_P(stolen_continuation_test, keeps_its_locals_and_its_finish) {
  run([] {
    for (int i = 0; i < 100; ++i) {
      support::event gone_on;
      std::atomic<int> joined{0};
      const int result = ts::finish([&] {
        std::vector<int> locals(100, i);
        ts::async(ts::spawn_policy::work_first, [&] {
          gone_on.await();
          ++joined;
        });
        gone_on.set();
        ts::async([&] { ++joined; });
        return locals.front() + locals.back();
      });
      ASSERT_EQ(result, 2 * i);
      ASSERT_EQ(joined.load(), 2);
    }
  });
}

TEST_P(stolen_continuation_test, throws_into_the_same_finish_as_its_child) {
  run([] {
    for (int i = 0; i < 50; ++i) {
      support::event gone_on;
      const auto e = caught<ts::multiple_exceptions>([&] {
        ts::finish([&] {
          ts::async(ts::spawn_policy::work_first, [&] {
            gone_on.await();
            throw std::runtime_error("child");
          });
          gone_on.set();
          throw std::runtime_error("continuation");
        });
      });
      ASSERT_TRUE(e);
      EXPECT_EQ(support::messages(e->exceptions()), (std::vector<std::string>{"child", "continuation"}));
    }
  });
}

}  // namespace
