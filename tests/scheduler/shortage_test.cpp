// SPDX-License-Identifier: Apache-2.0
// Programs that the system refuses memory: each ends with the right result, with an error that names the limit, or with
// a process that ends with it; never with a finish that left its tasks behind.
#include <tactus/tactus.hpp>

#include "support/ended_process.hpp"
#include "support/refused_mappings.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <string>

#include <sys/resource.h>

namespace ts = tactus;

namespace {

std::atomic<long> g_allocations_left{LONG_MAX};

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (g_allocations_left.fetch_sub(1, std::memory_order_relaxed) == 1) throw std::bad_alloc();
  void* const p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

// Not inlined: compilers would see malloc's memory go to delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocate(bytes, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

using support::config_of;
using support::ended_process;
using enum ts::spawn_policy;

struct tally {
  std::atomic<int> settled{0};  // tasks that have begun to wait, or were refused
  std::atomic<int> early{0};    // finishes that returned while their task still waited
  std::atomic<int> wrong{0};    // tasks that found the frame of their finish gone
};

// A finish whose task waits, in a task that keeps something for it.
void finish_of_a_waiting_task(const ts::future<int>& go, tally& all) {
  std::atomic<int> child{0};
  volatile int kept = 42;
  try {
    ts::finish([&] {
      ts::async(work_first, [&] {
        child = 1;
        ++all.settled;
        try {
          static_cast<void>(go.get());
          // NOLINTNEXTLINE(bugprone-empty-catch): it need not wait
        } catch (const std::exception&) {
        }
        if (kept != 42) ++all.wrong;
        child = 2;
      });
    });
  } catch (const std::exception&) {  // there may be no memory for the text
    if (child == 0) ++all.settled;
  }
  if (child == 1) ++all.early;
  kept = 13;
}

// More tasks than there are stacks for.
void waiting_tasks(ts::spawn_policy outer, tally& all) {
  constexpr int k_tasks = 600;
  ts::promise<int> go;
  ts::finish([&] {
    const ts::future<int> f = go.get_future();
    for (int i = 0; i < k_tasks; ++i) {
      try {
        ts::async(outer, [&all, f] { finish_of_a_waiting_task(f, all); });
      } catch (const std::exception&) {
        ++all.settled;
      }
    }
    try {
      while (all.settled != k_tasks) ts::yield();
      // NOLINTNEXTLINE(bugprone-empty-catch): nothing but the value brings a stack back now
    } catch (const std::exception&) {
    }
    go.set_value(1);
  });
}

class shortage_test : public testing::TestWithParam<support::setting> {
protected:
  void SetUp() override {
    ts::run(config_of(1), [] {});
    if (!support::sees_mappings()) GTEST_SKIP() << "the library is a shared one";
  }
  void TearDown() override { support::allow_mappings(); }
};

INSTANTIATE_TEST_SUITE_P(each, shortage_test,
                         testing::Values(support::setting{1, work_first}, support::setting{1, help_first},
                                         support::setting{2, work_first}, support::setting{2, help_first},
                                         support::setting{3, help_first}),
                         [](const auto& chosen) { return support::name_of(chosen.param); });

TEST_P(shortage_test, a_finish_waits_for_its_tasks_where_no_stack_is_left) {
  for (int round = 0; round < 3; ++round) {
    tally all;
    ts::runtime rt(config_of(GetParam().workers));
    rt.run([&] {
      support::refuse_mappings_above(0);
      waiting_tasks(GetParam().policy, all);
    });
    support::allow_mappings();
    EXPECT_EQ(all.early, 0);
    EXPECT_EQ(all.wrong, 0);
  }
}

TEST_P(shortage_test, workers_start_and_a_run_ends_where_no_stack_is_left) {
  ts::runtime rt(config_of(GetParam().workers, GetParam().policy));
  support::refuse_mappings_above(0);
  for (int i = 0; i < 3; ++i) {
    const int sum = rt.run([] { return ts::reduce(0, 1000, 1, std::plus<>(), [](int v) { return v; }); });
    EXPECT_EQ(sum, 499'500);
  }
}

TEST_P(shortage_test, virtual_workers_start_where_no_stack_is_left) {
  ts::runtime rt(support::seeded_config_of(7, GetParam().workers, GetParam().policy));
  support::refuse_mappings_above(0);
  const int sum = rt.run([] { return ts::reduce(0, 1000, 10, std::plus<>(), [](int v) { return v; }); });
  EXPECT_EQ(sum, 499'500);
}

TEST_P(shortage_test, a_runtime_that_finds_no_address_space_is_refused_with_the_limits_name) {
  support::refuse_mappings_above(0);
  try {
    const ts::runtime rt(config_of(GetParam().workers));
    FAIL() << "a runtime came from nowhere";
  } catch (const ts::resource_error& e) {
    EXPECT_NE(std::string(e.what()).find("ulimit -v"), std::string::npos) << e.what();
  }
}

// ---- in processes of their own ----

const char* remedy_in(const std::string& text) {
  for (const char* const one : {"ulimit -v", "TACTUS_THREADS", "memory_bytes"}) {
    if (text.find(one) != std::string::npos) return one;
  }
  return nullptr;
}

// libc++abi keeps 512 bytes for exceptions that there is no memory for, and ends the process where several threads need
// more at once: nobody can say more then. An exception that nobody catches is told otherwise.
bool ended_by_libcxxabi(const ended_process& end) {
#if defined(_LIBCPP_VERSION)
  return end.aborted() && end.said.find("libc++abi: terminating\n") != std::string::npos;
#else
  (void)end;
  return false;
#endif
}

// Right, or an error that says what was short (the program's own allocations throw std::bad_alloc), or a process that
// ended with it.
testing::AssertionResult ended_well(const ended_process& end) {
  if (end.exited_with(support::k_right)) return testing::AssertionSuccess();
  const bool told = remedy_in(end.said) != nullptr;
  const bool own = end.said.find("bad_alloc") != std::string::npos;
  if ((end.exited_with(support::k_threw) && (told || own)) || (end.aborted() && told) || ended_by_libcxxabi(end)) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << end.text();
}

long fib(int n) {
  if (n < 2) return n;
  auto a = ts::async_future(n % 2 == 0 ? work_first : help_first, [n] { return fib(n - 1); });
  const long b = fib(n - 2);
  return a.get() + b;
}

// A little of everything that waits. 0 if all results are right.
int small_program(int workers) {
  tally all;
  long sum = 0;
  long elements = 0;
  ts::run(config_of(workers), [&] {
    sum = fib(14);
    waiting_tasks(help_first, all);
    std::atomic<long> seen{0};
    ts::for_each(0, 100, [&](int i) {
      ts::yield();
      ts::finish([&] { ts::async([&seen, i] { seen += i; }); });
    });
    elements = seen + ts::reduce(0, 100, 1, std::plus<>(), [](int i) { return long{i}; });
    int turns = 0;
    ts::lockstep(0, 4, [&] { return ++turns <= 3; }, [&](int) { ts::atomic([&] { ++elements; }); });
  });
  return all.early == 0 && all.wrong == 0 && sum == 377 && elements == 4'950 * 2 + 12 ? support::k_right
                                                                                      : support::k_wrong;
}

TEST(address_space_test, from_little_to_plenty_every_program_ends_well) {
  if (support::k_sanitized) GTEST_SKIP() << "sanitizers need address space of their own";
  constexpr rlim_t k_mebibyte = rlim_t{1} << 20;
  for (rlim_t mebibytes = 20; mebibytes <= 1024; mebibytes += mebibytes / 8) {
    for (const int workers : {1, 2, 8}) {
      const ended_process end = support::in_a_process(60, [&] {
        const rlimit limit{mebibytes * k_mebibyte, mebibytes * k_mebibyte};
        if (::setrlimit(RLIMIT_AS, &limit) != 0) return support::k_wrong;
        return small_program(workers);
      });
      EXPECT_TRUE(ended_well(end)) << mebibytes << " MiB, " << workers << " workers";
    }
  }
}

// Nobody brings what its tasks wait for.
int stuck_program(int workers) {
  try {
    ts::run(config_of(workers), [] {
      const ts::promise<int> never;
      const ts::clock c = ts::clock::make();
      ts::async(ts::clocked(c), ts::named("stuck"), [never] { static_cast<void>(never.get_future().get()); });
      const ts::stream<int> empty(ts::bound{1});
      const auto in = empty.in();
      static_cast<void>(empty.out().pop());
    });
  } catch (const std::exception&) {
    return support::k_right;  // deadlock_error, or what there was no memory for
  }
  return support::k_wrong;
}

// One process for each allocation that may fail, until there is none left of them; how many there were.
long end_well_whichever_fails(int workers, int (*program)(int)) {
  constexpr int k_unused = 77;
  long failing = 0;
  for (ended_process end; !end.exited_with(k_unused) && !testing::Test::HasFailure();) {
    failing += failing < 300 ? 1 : failing / 20;  // the first ones all; those later are like them
    end = support::in_a_process(60, [&] {
      g_allocations_left = failing;
      const int code = program(workers);
      return g_allocations_left.exchange(LONG_MAX) > 0 && code == support::k_right ? k_unused : code;
    });
    EXPECT_TRUE(end.exited_with(k_unused) || ended_well(end))
        << "allocation " << failing << ", " << workers << " workers: " << end.text();
  }
  return failing;
}

TEST(allocation_test, whichever_fails_a_stuck_program_is_told_so_or_ends_with_a_reason) {
  if (support::k_tsan) GTEST_SKIP() << "a process that was forked may not start threads";
  for (const int workers : {1, 2}) EXPECT_GT(end_well_whichever_fails(workers, stuck_program), 20);
}

TEST(allocation_test, whichever_fails_every_program_ends_well) {
  if (support::k_tsan) GTEST_SKIP() << "a process that was forked may not start threads";
  for (const int workers : {1, 2}) EXPECT_GT(end_well_whichever_fails(workers, small_program), 50);
}

}  // namespace
