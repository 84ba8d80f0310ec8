// SPDX-License-Identifier: Apache-2.0
// A task that there is no memory to register, or to spawn, is on no clock: the others do not wait for it.
#include <tactus/tactus.hpp>

#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

namespace ts = tactus;

namespace {

std::atomic<long> g_allocations_left{LONG_MAX};  // the last of them fails

}  // namespace

// Not inlined: compilers would see malloc's memory go to delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const p = g_allocations_left.fetch_sub(1, std::memory_order_relaxed) == 1 ? nullptr : std::malloc(bytes);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

// Each allocation of a spawn in turn, up to a spawn that needs none that fails. Returns how many of them failed. What f spawns
// is on all of `clocks`, which the caller advances after it.
template <class F, class... Clocks>
int spawn_with_each_failing(const F& f, const Clocks&... clocks) {
  for (int failed = 0;; ++failed) {
    F child = f;
    g_allocations_left = failed + 1;
    try {
      ts::async(ts::clocked(clocks...), std::move(child));
      g_allocations_left = LONG_MAX;
      (clocks.advance(), ...);
      return failed;
    } catch (const std::bad_alloc&) {
      g_allocations_left = LONG_MAX;
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
