// SPDX-License-Identifier: Apache-2.0
// The runtime as part of a process: overflowing stacks, exit, fork, signals, and starting and stopping often.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/process.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace ts = tactus;

namespace {

using support::caught;
using support::config_of;
using enum ts::spawn_policy;

/// Death tests start the program anew, so that the dying process has no threads of other tests.
class process_test : public testing::Test {
protected:
  process_test() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

[[gnu::noinline]] int sink_deeper(int level) {
  volatile char frame[1'024];
  frame[0] = static_cast<char>(level);
  if (level == std::numeric_limits<int>::max()) return 0;
  return sink_deeper(level + 1) + frame[0];
}

// Three frames that are too much for a stack. What is written of them lies in it, and then in that of a neighbour.
[[gnu::noinline]] int sink_in_leaps(int level) {
  volatile char frame[200 * 1'024];
  for (int i = 0; i < 4'096; ++i) frame[i] = static_cast<char>(level);
  if (level == 2) return frame[7];
  return sink_in_leaps(level + 1) + frame[7];
}

[[gnu::noinline]] int sink_touching_the_lowest_byte(int level) {
  volatile char frame[48 * 1'024];
  frame[0] = static_cast<char>(level);
  if (level == std::numeric_limits<int>::max()) return 0;
  return sink_touching_the_lowest_byte(level + 1) + frame[0];
}

const char* const k_overflow = "(bottomless(.|\n)*stack_bytes)|(stack_bytes(.|\n)*bottomless)";

void overflow(ts::spawn_policy policy, int workers) {
  ts::run(config_of(workers, policy),
          [] { ts::finish([] { ts::async(ts::named("bottomless"), [] { sink_deeper(0); }); }); });
}

/// A task that ends the process leaves the objects of the stacks below it behind, those of main() among them; LeakSanitizer,
/// which then runs on a task's stack, takes them for leaks. The processes that are to die run without it.
class process_death_test : public process_test {
protected:
  process_death_test() {
    const char* const given = std::getenv("ASAN_OPTIONS");
    options_ = given != nullptr ? given : "";
    setenv("ASAN_OPTIONS", (options_ + ":detect_leaks=0").c_str(), 1);
  }
  ~process_death_test() override { setenv("ASAN_OPTIONS", options_.c_str(), 1); }

private:
  std::string options_;
};

TEST_F(process_test, a_stack_for_signals_that_the_program_sets_in_a_run_stays) {
  std::thread([] {
    std::vector<char> memory(64 * 1024);
    stack_t own{};
    own.ss_sp = memory.data();
    own.ss_size = memory.size();
    ts::run(config_of(1), [&] { EXPECT_EQ(::sigaltstack(&own, nullptr), 0); });
    stack_t now{};
    EXPECT_EQ(::sigaltstack(nullptr, &now), 0);
    EXPECT_EQ(now.ss_sp, own.ss_sp);
    EXPECT_EQ(now.ss_flags & SS_DISABLE, 0);
    own.ss_flags = SS_DISABLE;
    ::sigaltstack(&own, nullptr);
  }).join();
}

TEST_F(process_death_test, a_stack_overflow_names_the_task_and_stack_bytes) {
  EXPECT_DEATH(overflow(work_first, 1), k_overflow);
  EXPECT_DEATH(overflow(help_first, 1), k_overflow);
  EXPECT_DEATH(overflow(adaptive, 2), k_overflow);
}

TEST_F(process_death_test, a_stack_overflow_of_a_task_with_a_long_name_says_what_helps) {
  EXPECT_DEATH(ts::run(config_of(1), [] { ts::async(ts::named(std::string(600, 'x')), [] { sink_deeper(0); }); }),
               "task 'x+[.][.][.]'(.|\n)*stack_bytes(.|\n)*TACTUS_STACK_BYTES\n");
}

TEST_F(process_death_test, a_stack_overflow_on_another_worker_names_the_task_and_stack_bytes) {
  EXPECT_DEATH(ts::run(config_of(2),
                       [] {
                         std::atomic<bool> never{false};
                         ts::async(help_first, ts::named("bottomless"), [] { sink_deeper(0); });
                         while (!never) std::this_thread::yield();
                       }),
               k_overflow);
}

TEST_F(process_death_test, a_stack_overflow_of_a_task_that_has_been_suspended_is_reported) {
  EXPECT_DEATH(ts::run(config_of(2),
                       [] {
                         ts::async(ts::named("bottomless"), [] {
                           for (int i = 0; i < 10; ++i) ts::yield();
                           sink_deeper(0);
                         });
                       }),
               k_overflow);
}

#if defined(__x86_64__) || defined(__aarch64__)  // where programs are compiled with -fstack-clash-protection
TEST_F(process_death_test, a_stack_overflow_by_large_frames_among_tasks_that_wait_is_reported) {
  for (int (*const sink)(int) : {sink_in_leaps, sink_touching_the_lowest_byte}) {
    EXPECT_DEATH(ts::run(config_of(1),
                         [sink] {
                           ts::promise<void> go;
                           for (int i = 0; i < 64; ++i) ts::async(work_first, [f = go.get_future()] { f.get(); });
                           ts::async(work_first, ts::named("bottomless"), [sink] { sink(0); });
                           go.set_value();
                         }),
                 k_overflow);
  }
}
#endif

TEST_F(process_death_test, a_stack_overflow_where_a_task_may_not_wait_names_the_task_and_stack_bytes) {
  const std::function<void()> places[] = {
      [] { ts::atomic([] { sink_deeper(0); }); }, [] { ts::when([] { return sink_deeper(0) == 0; }, [] {}); },
      [] {
        int rounds = 0;
        ts::lockstep(0, 1, [&rounds] { return rounds++ < 1; }, [](int) { sink_deeper(0); });
      }};
  for (const std::function<void()>& place : places) {
    EXPECT_DEATH(ts::run(config_of(1), [&place] { ts::async(ts::named("bottomless"), [&place] { place(); }); }),
                 "bottomless(.|\n)*stack_bytes = [1-9]");
  }
}

TEST_F(process_death_test, a_stack_overflow_of_the_root_task_is_reported) {
  EXPECT_DEATH(ts::run(config_of(1), [] { sink_deeper(0); }), "stack");
}

int exit_from(int workers, ts::spawn_policy policy) {
  ts::run(config_of(workers, policy), [] {
    ts::promise<void> never;
    ts::finish([&] {
      for (int i = 0; i < 10; ++i) ts::async([f = never.get_future()] { f.get(); });
      ts::async([] { std::exit(7); });
    });
  });
  return 0;
}

TEST_F(process_death_test, exit_from_a_task_ends_the_process_with_its_code) {
  for (const int workers : {1, 2, 8}) {
    for (const auto policy : {adaptive, work_first, help_first}) {
      EXPECT_EXIT(exit_from(workers, policy), testing::ExitedWithCode(7), "");
    }
  }
}

TEST_F(process_death_test, exit_from_the_root_task_ends_the_process_with_its_code) {
  EXPECT_EXIT(ts::run(config_of(2), [] { std::exit(8); }), testing::ExitedWithCode(8), "");
}

TEST_F(process_death_test, exit_while_another_worker_computes_ends_the_process) {
  EXPECT_EXIT(ts::run(config_of(2),
                      [] {
                        std::atomic<bool> never{false};
                        ts::async(help_first, [] { std::exit(9); });
                        while (!never) std::this_thread::yield();
                      }),
              testing::ExitedWithCode(9), "");
}

TEST_F(process_death_test, exit_with_an_idle_runtime_ends_the_process) {
  EXPECT_EXIT(
      {
        static ts::runtime rt(config_of(3));
        rt.run([] { ts::async([] {}); });
        std::exit(6);
      },
      testing::ExitedWithCode(6), "");
}

// The task's own exit destroys the runtime that runs it.
int exit_in_task_of_a_static_runtime(int worker_tasks) {
  static ts::runtime rt(config_of(2));
  rt.run([worker_tasks] {
    for (int i = 0; i < worker_tasks; ++i) {
      ts::async([] {
        for (;;) ts::yield();
      });
    }
    ts::async(help_first, [] { std::exit(5); });
    for (;;) ts::yield();
  });
  return 0;
}

TEST_F(process_death_test, exit_in_a_task_of_a_static_runtime_ends_the_process) {
  for (const int worker_tasks : {0, 1, 10}) {
    EXPECT_EXIT(exit_in_task_of_a_static_runtime(worker_tasks), testing::ExitedWithCode(5), "");
  }
}

TEST_F(process_death_test, exit_beside_a_run_of_a_static_runtime_ends_the_process) {
  EXPECT_EXIT(
      {
        static ts::runtime rt(config_of(2));
        rt.run([] {
          std::thread([] { std::exit(4); }).detach();
          for (;;) ts::yield();
        });
      },
      testing::ExitedWithCode(4), "");
}

void fault() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

TEST_F(process_death_test, a_fault_that_is_no_overflow_kills_as_ever) {
  if constexpr (!support::k_sanitized) {
    EXPECT_EXIT(ts::run(config_of(2), [] { ts::finish([] { ts::async([] { fault(); }); }); }),
                testing::KilledBySignal(SIGSEGV), "");
  }
}

TEST_F(process_death_test, a_fault_signal_that_somebody_sent_kills_as_ever) {
  if constexpr (!support::k_sanitized) {
    EXPECT_EXIT(ts::run(config_of(2), [] { ts::finish([] { ts::async([] { std::raise(SIGSEGV); }); }); }),
                testing::KilledBySignal(SIGSEGV), "");
  }
}

TEST_F(process_death_test, a_fault_that_is_no_overflow_goes_to_the_handler_of_the_program) {
  if constexpr (!support::k_sanitized) {
    EXPECT_EXIT(
        {
          std::signal(SIGSEGV, [](int) { _exit(33); });
          ts::run(config_of(2), [] { ts::finish([] { ts::async([] { fault(); }); }); });
        },
        testing::ExitedWithCode(33), "");
  }
}

/// What f returned in a child made by fork, as its exit code.
template <class F>
int code_of_child(F f) {
  const pid_t child = fork();
  if (child == 0) _exit(f());
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST_F(process_test, in_a_child_made_by_fork_the_calls_throw_usage_error) {
  ts::run(config_of(2), [] {
    EXPECT_EQ(code_of_child([] { return caught<ts::usage_error>([] { ts::async([] {}); }) ? 0 : 1; }), 0);
    EXPECT_EQ(code_of_child([] { return caught<ts::usage_error>([] { ts::finish([] {}); }) ? 0 : 1; }), 0);
    EXPECT_EQ(code_of_child([] { return caught<ts::usage_error>([] { ts::yield(); }) ? 0 : 1; }), 0);
    EXPECT_EQ(code_of_child([] { return caught<ts::usage_error>([] { ts::run(config_of(1), [] {}); }) ? 0 : 1; }), 0);
    int done = 0;
    ts::finish([&] { ts::async([&] { done = 1; }); });
    EXPECT_EQ(done, 1) << "the parent goes on as before";
  });
}

int code_in_child_beside_an_unused_runtime() {
  ts::runtime rt(config_of(2));
  return code_of_child([&rt] { return caught<ts::usage_error>([&rt] { rt.run([] {}); }) ? 0 : 1; });
}

TEST_F(process_test, in_a_child_made_by_fork_before_the_first_run_that_is_refused_too) {
  EXPECT_EXIT(std::_Exit(code_in_child_beside_an_unused_runtime()), testing::ExitedWithCode(0), "");
}

TEST_F(process_test, a_task_may_fork_and_the_child_exec) {
  ts::run(config_of(2), [] {
    for (int i = 0; i < 5; ++i) {
      ts::async([] {
        EXPECT_EQ(code_of_child([] {
                    execl("/bin/sh", "sh", "-c", "exit 5", static_cast<char*>(nullptr));
                    return 1;
                  }),
                  5);
      });
    }
  });
}

TEST_F(process_test, a_task_may_call_system) {
  ts::run(config_of(2), [] {
    ts::async([] {
      const int status = std::system("exit 4");
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    });
  });
}

/// A thread that was joined may stay in /proc for a moment; the kernel removes it without our help.
std::size_t settled_thread_count(std::size_t expected) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (support::thread_count() > expected && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  return support::thread_count();
}

TEST_F(process_test, starting_and_stopping_many_runtimes_leaves_nothing_behind) {
  const auto once = [](std::size_t i) {
    ts::runtime rt(config_of(1 + static_cast<int>(i % 4)));
    std::atomic<int> done{0};
    rt.run([&] {
      for (int k = 0; k < 20; ++k) {
        ts::async([&] {
          ts::yield();
          ++done;
        });
      }
    });
    ASSERT_EQ(done.load(), 20);
  };
  const std::size_t threads = support::thread_count();
  for (std::size_t i = 0; i < 100; ++i) once(i);
  EXPECT_EQ(settled_thread_count(threads), threads);
  const std::size_t descriptors = support::descriptor_count();
  const std::size_t mappings = support::mapping_count();
  for (std::size_t i = 0; i < support::scaled(1'000, 100); ++i) once(i);
  EXPECT_EQ(settled_thread_count(threads), threads);
  EXPECT_EQ(support::descriptor_count(), descriptors);
  if constexpr (!support::k_sanitized) {
    EXPECT_LE(support::mapping_count(), mappings + 8) << "a few are the allocator's";
  }
}

TEST_F(process_test, a_runtime_keeps_its_workers_between_runs) {
  ts::runtime rt(config_of(4));
  rt.run([] { ts::async([] {}); });
  const std::size_t threads = support::thread_count();
  const std::size_t descriptors = support::descriptor_count();
  for (int i = 0; i < 100; ++i) {
    rt.run([] { ts::async([] {}); });
    ASSERT_EQ(support::thread_count(), threads);
    ASSERT_EQ(support::descriptor_count(), descriptors);
  }
}

TEST_F(process_test, blocking_operations_start_no_threads) {
  ts::run(config_of(3), [] {
    const std::size_t threads = support::thread_count();
    ts::promise<void> gate;
    std::atomic<int> started{0};
    ts::finish([&] {
      for (int i = 0; i < 500; ++i) {
        ts::async([&, f = gate.get_future()] {
          ++started;
          f.get();
        });
      }
      while (started != 500) ts::yield();
      EXPECT_EQ(support::thread_count(), threads);
      gate.set_value();
    });
  });
}

std::atomic<long> signals_seen{0};
void count_signal(int) { signals_seen.fetch_add(1, std::memory_order_relaxed); }

long fibonacci(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  ts::finish([&] {
    ts::async([&] { a = fibonacci(n - 1); });
    b = fibonacci(n - 2);
  });
  return a + b;
}

void expect_right_answers_under_signals(int flags) {
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = count_signal;
  action.sa_flags = flags;
  ASSERT_EQ(sigaction(SIGPROF, &action, &before), 0);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGPROF;
  timer_t timer{};
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  const itimerspec each_millisecond{.it_interval = {.tv_sec = 0, .tv_nsec = 1'000'000},
                                    .it_value = {.tv_sec = 0, .tv_nsec = 1'000'000}};
  ASSERT_EQ(timer_settime(timer, 0, &each_millisecond, nullptr), 0);
  for (const auto policy : {adaptive, work_first, help_first}) {
    for (const int workers : {1, 2, 3}) {
      signals_seen = 0;
      ts::run(config_of(workers, policy), [] {
        while (signals_seen < 50) {
          EXPECT_EQ(fibonacci(12), 144);
          EXPECT_EQ(ts::async_future([] { return ts::finish([] { return 5; }); }).get(), 5);
          ts::for_each(0, 50, [](int) { ts::yield(); });
          // A wait with nothing else to do: workers are asleep when signals come.
          const ts::promise<int> p(ts::external);
          std::thread outside([p] { p.set_value(6); });
          EXPECT_EQ(p.get_future().get(), 6);
          outside.join();
        }
      });
    }
  }
  ASSERT_EQ(timer_delete(timer), 0);
  ASSERT_EQ(sigaction(SIGPROF, &before, nullptr), 0);
}

TEST_F(process_test, signals_at_one_kilohertz_disturb_nothing) { expect_right_answers_under_signals(0); }

TEST_F(process_test, signals_at_one_kilohertz_on_an_alternate_stack_disturb_nothing) {
  expect_right_answers_under_signals(SA_ONSTACK | SA_RESTART);
}

}  // namespace
