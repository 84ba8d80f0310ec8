// SPDX-License-Identifier: Apache-2.0
// A task that there is no memory to register, or to spawn, is on no clock: the others do not wait for it.
#include <tactus/tactus.hpp>

#include "support/failing_allocation.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <new>
#include <string>

namespace ts = tactus;

namespace {

// Each allocation of a spawn in turn, up to a spawn that needs none that fails. Returns how many of them failed. What f spawns
// is on all of `clocks`, which the caller advances after it.
template <class F, class... Clocks>
int spawn_with_each_failing(const F& f, const Clocks&... clocks) {
  for (int failed = 0;; ++failed) {
    F child = f;
    support::g_allocations_left = failed + 1;
    try {
      ts::async(ts::clocked(clocks...), std::move(child));
      support::g_allocations_left = LONG_MAX;
      (clocks.advance(), ...);
      return failed;
    } catch (const std::bad_alloc&) {
      support::g_allocations_left = LONG_MAX;
    }
    (clocks.advance(), ...);
  }
}

class clock_memory_test : public support::each_setting {};

// Other workers, which allocate as well, are left out.
INSTANTIATE_TEST_SUITE_P(each, clock_memory_test,
                         testing::Values(support::setting{1, ts::spawn_policy::adaptive},
                                         support::setting{1, ts::spawn_policy::work_first},
                                         support::setting{1, ts::spawn_policy::help_first}),
                         [](const auto& chosen) { return support::name_of(chosen.param); });

TEST_P(clock_memory_test, a_task_that_could_not_be_registered_keeps_nobody_waiting) {
  run([] {
    const ts::clock c = ts::clock::make();
    EXPECT_GT(spawn_with_each_failing([own = std::string(100, 'x'), c] { c.drop(); }, c), 0);
  });
}

TEST_P(clock_memory_test, neither_on_the_first_of_several_clocks_nor_on_the_others) {
  run([] {
    const ts::clock c = ts::clock::make();
    const ts::clock d = ts::clock::make();
    const auto leave = [own = std::string(100, 'x'), c, d] {
      d.drop();
      c.drop();
    };
    EXPECT_GT(spawn_with_each_failing(leave, c, d), 1);
  });
}

}  // namespace
