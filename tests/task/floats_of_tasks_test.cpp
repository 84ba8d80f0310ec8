// SPDX-License-Identifier: Apache-2.0
// The floating-point environment: every task begins with that of run's caller, and keeps its own wherever it waits.
#include <tactus/tactus.hpp>

#include "support/floats.hpp"
#include "support/parallel.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace ts = tactus;

namespace {

// Rounds in its own way while it lives, as a task may that puts things right before it ends.
class rounding_in {
public:
  explicit rounding_in(int way) : before_(std::fegetround()) { std::fesetround(way); }
  ~rounding_in() { std::fesetround(before_); }
  rounding_in(const rounding_in&) = delete;
  rounding_in& operator=(const rounding_in&) = delete;

private:
  int before_;
};

class floats_of_tasks_test : public support::each_setting {
protected:
  // Rounds upward, and has workers that began otherwise.
  template <class Body>
  static void run(Body&& body) {
    std::fesetround(FE_TONEAREST);
    ts::runtime r(support::config_of(GetParam().workers, GetParam().policy));
    std::fesetround(FE_UPWARD);
    r.run(std::forward<Body>(body));
  }

  const support::floats_restored restored_;
};
TACTUS_EACH_SETTING(floats_of_tasks_test);

TEST_P(floats_of_tasks_test, every_task_begins_with_those_of_runs_caller) {
  std::atomic<int> wrong{0};
  run([&] {
    if (support::rounds() != FE_UPWARD) ++wrong;
    ts::finish([&] {
      for (int i = 0; i < 100; ++i) {
        ts::async([&] {
          if (support::rounds() != FE_UPWARD) ++wrong;
          ts::async([&] {
            ts::yield();
            if (support::rounds() != FE_UPWARD) ++wrong;
          });
        });
      }
    });
  });
  EXPECT_EQ(wrong, 0);
}

#if defined(__x86_64__)

TEST_P(floats_of_tasks_test, what_others_divide_by_zero_traps_no_task_that_lets_divisions_trap) {
  constexpr unsigned k_masked = 0x04;
  std::atomic<int> wrong{0};
  run([&] {
    for (int i = 0; i < 20; ++i) {
      ts::async(ts::spawn_policy::help_first, [&] {
        std::feclearexcept(FE_ALL_EXCEPT);
        support::set_x87_control(support::x87_control() & ~k_masked);
        volatile long double sum = 0;
        for (int k = 0; k < 10; ++k) {
          ts::yield();
          sum = sum + 1;
        }
        if (sum != 10 || (support::x87_control() & k_masked) != 0) ++wrong;
        support::set_x87_control(support::x87_control() | k_masked);
      });
      ts::async(ts::spawn_policy::help_first, [&] {
        const volatile long double zero = 0;
        volatile long double all = 0;
        for (int k = 0; k < 10; ++k) {
          all = 1 / zero;
          ts::yield();
        }
        if (all <= 0) ++wrong;
      });
    }
  });
  EXPECT_EQ(wrong, 0);
}

#endif

TEST_P(floats_of_tasks_test, a_task_keeps_its_own_over_yields_and_others_have_the_runs) {
  std::atomic<int> wrong{0};
  run([&] {
    for (int i = 0; i < 40; ++i) {
      ts::async(ts::spawn_policy::help_first, [&, i] {
        if (support::rounds() != FE_UPWARD) ++wrong;
        const rounding_in own(support::way_to_round(static_cast<std::uint64_t>(i)));
        for (int k = 0; k < 10; ++k) {
          ts::yield();
          if (support::rounds() != support::way_to_round(static_cast<std::uint64_t>(i))) ++wrong;
        }
      });
      ts::async(ts::spawn_policy::help_first, [&] {
        if (support::rounds() != FE_UPWARD) ++wrong;
        ts::yield();
        if (support::rounds() != FE_UPWARD) ++wrong;
      });
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(floats_of_tasks_test, a_task_keeps_its_own_while_it_waits_for_a_future) {
  std::atomic<int> wrong{0};
  run([&] {
    ts::promise<int> gate;
    std::atomic<int> started{0};
    for (int i = 0; i < 20; ++i) {
      ts::async([&, i, f = gate.get_future()] {
        const rounding_in own(support::way_to_round(static_cast<std::uint64_t>(i)));
        ++started;
        f.get();
        if (support::rounds() != support::way_to_round(static_cast<std::uint64_t>(i))) ++wrong;
      });
    }
    while (started != 20) ts::yield();
    if (support::rounds() != FE_UPWARD) ++wrong;
    gate.set_value(1);
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(floats_of_tasks_test, an_element_of_a_loop_keeps_its_own_and_the_others_have_the_runs) {
  std::atomic<int> wrong{0};
  run([&] {
    ts::for_each(0, 60, 10, [&](int i) {
      if (support::rounds() != FE_UPWARD) ++wrong;
      if (i % 3 == 0) {
        const rounding_in own(support::way_to_round(static_cast<std::uint64_t>(i / 3)));
        ts::yield();
        if (support::rounds() != support::way_to_round(static_cast<std::uint64_t>(i / 3))) ++wrong;
      }
    });
    const int seen = ts::reduce(
        0, 50, 5, [](int a, int b) { return a + b; },
        [](int) {
          ts::yield();
          return support::rounds() == FE_UPWARD ? 0 : 1;
        });
    wrong += seen;
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(floats_of_tasks_test, the_caller_has_its_own_back_whatever_the_root_leaves) {
  run([] {
    ts::finish([] { ts::async([] {}); });
    std::fesetround(FE_DOWNWARD);
  });
  EXPECT_EQ(support::rounds(), FE_UPWARD);
  EXPECT_THROW(run([] {
                 std::fesetround(FE_TOWARDZERO);
                 throw std::runtime_error("out of the root");
               }),
               ts::multiple_exceptions);
  EXPECT_EQ(support::rounds(), FE_UPWARD);
}

#if defined(__x86_64__) || defined(__aarch64__)

TEST_P(floats_of_tasks_test, flushing_to_zero_stays_with_the_task_that_asks_for_it) {
  std::atomic<int> wrong{0};
  run([&] {
    for (int i = 0; i < 10; ++i) {
      ts::async(ts::spawn_policy::help_first, [&] {
        const support::floats_restored restored;
        if (support::flushes_to_zero()) ++wrong;
        support::flush_to_zero();
        ts::yield();
        if (!support::flushes_to_zero()) ++wrong;
      });
    }
  });
  EXPECT_FALSE(support::flushes_to_zero());
  EXPECT_EQ(wrong, 0);
}

#endif
#if defined(__x86_64__)

TEST_P(floats_of_tasks_test, the_precision_of_long_doubles_stays_with_the_task_that_sets_it) {
  std::atomic<int> wrong{0};
  run([&] {
    for (unsigned i = 0; i < 10; ++i) {
      ts::async(ts::spawn_policy::help_first, [&] {
        const support::floats_restored restored;
        if ((support::x87_control() & 0x300U) != 0x300U) ++wrong;
        support::set_x87_control(support::x87_control() & ~0x100U);
        ts::yield();
        if ((support::x87_control() & 0x300U) != 0x200U) ++wrong;
      });
    }
  });
  EXPECT_EQ(wrong, 0);
}

#endif

class floats_of_two_workers_test : public floats_of_tasks_test {};
TACTUS_EACH_PARALLEL_SETTING(floats_of_two_workers_test);

TEST_P(floats_of_two_workers_test, a_spawner_that_goes_on_elsewhere_has_those_of_runs_caller) {
  int seen = -1;
  run([&] {
    support::event gone_on;
    ts::finish([&] {
      ts::async(ts::spawn_policy::work_first, [&] { gone_on.await(); });
      seen = support::rounds();
      gone_on.set();
    });
  });
  EXPECT_EQ(seen, FE_UPWARD);
}

TEST_P(floats_of_two_workers_test, a_task_keeps_its_own_while_it_waits_at_a_finish) {
  int parent = -1;
  int child = -1;
  int other = -1;
  run([&] {
    support::event started;
    support::event may_end;
    ts::promise<void> gate;
    std::atomic<bool> is_there{false};
    // What goes on next where the parent waits.
    ts::async(ts::spawn_policy::help_first, [&, f = gate.get_future()] {
      is_there = true;
      f.get();
      other = support::rounds();
      may_end.set();
    });
    while (!is_there) ts::yield();
    ts::finish([&] {
      ts::async(ts::spawn_policy::help_first, [&] {
        child = support::rounds();
        started.set();
        may_end.await();
      });
      started.await();
      gate.set_value();
      std::fesetround(FE_DOWNWARD);
    });
    parent = support::rounds();
    std::fesetround(FE_UPWARD);
  });
  EXPECT_EQ(parent, FE_DOWNWARD);
  EXPECT_EQ(child, FE_UPWARD);
  EXPECT_EQ(other, FE_UPWARD);
}

TEST_P(floats_of_two_workers_test, all_workers_take_over_those_of_each_runs_caller) {
  ts::runtime r(support::config_of(GetParam().workers, GetParam().policy));
  for (std::uint64_t k = 0; k < 12; ++k) {
    std::fesetround(support::way_to_round(k));
    int here = -1;
    int there = -1;
    r.run([&] {
      support::event met;
      ts::finish([&] {
        ts::async(ts::spawn_policy::help_first, [&] {
          there = support::rounds();
          met.set();
        });
        met.await();
        here = support::rounds();
      });
    });
    EXPECT_EQ(here, support::way_to_round(k));
    EXPECT_EQ(there, support::way_to_round(k));
  }
}

TEST(floats_of_seeded_tasks_test, each_task_has_its_own_in_every_order) {
  const support::floats_restored restored;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::fesetround(support::way_to_round(seed));
    const int of_run = std::fegetround();
    ts::runtime r(support::seeded_config_of(seed, 3));
    for (int again = 0; again < 2; ++again) {
      std::atomic<int> wrong{0};
      r.run([&] {
        for (std::uint64_t i = 0; i < 12; ++i) {
          ts::async([&, i] {
            if (support::rounds() != of_run) ++wrong;
            const rounding_in own(support::way_to_round(i));
            ts::yield();
            ts::atomic([] {});
            if (support::rounds() != support::way_to_round(i)) ++wrong;
          });
        }
      });
      EXPECT_EQ(wrong, 0) << "seed " << seed;
    }
    EXPECT_EQ(std::fegetround(), of_run);
  }
}

}  // namespace
