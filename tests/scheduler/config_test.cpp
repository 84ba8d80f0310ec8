// SPDX-License-Identifier: Apache-2.0
// What fields, TACTUS_* variables and --tactus-* flags do to a program, seen from inside it.
#include <tactus/base/impl/cpus.hpp>
#include <tactus/tactus.hpp>

#include "base/topology.hpp"
#include "support/caught.hpp"
#include "support/settings.hpp"
#include "support/starts_anew.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace ts = tactus;

namespace {

using support::caught;
using support::contains;

/// Sets a variable for the life of the object.
class variable {
public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    setenv(name, value, 1);
  }
  ~variable() {
    if (old_) {
      setenv(name_, old_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

private:
  const char* name_;
  std::optional<std::string> old_;
};

/// An argv as main gets it.
class command_line {
public:
  command_line(std::initializer_list<std::string> words) : words_(words) {
    for (std::string& w : words_) pointers_.push_back(w.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] int argc() const { return static_cast<int>(words_.size()); }
  [[nodiscard]] char** argv() { return pointers_.data(); }
  [[nodiscard]] const std::vector<char*>& pointers() const { return pointers_; }

private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

int workers_of(const ts::config& c) {
  return ts::run(c, [] { return ts::num_workers(); });
}

int workers_of(command_line line) {
  return ts::run(line.argc(), line.argv(), [] { return ts::num_workers(); });
}

std::string refusal_of(const ts::config& c) {
  const auto e = caught<ts::config_error>([&] { ts::run(c, [] {}); });
  return e ? e->what() : "no config_error";
}

std::string refusal_of(command_line line) {
  const auto e = caught<ts::config_error>([&] { ts::run(line.argc(), line.argv(), [] {}); });
  return e ? e->what() : "no config_error";
}

TEST(config_test, is_an_aggregate_with_the_documented_defaults) {
  static_assert(std::is_aggregate_v<ts::config>);
  const ts::config c{};
  EXPECT_EQ(c.threads, 0);
  EXPECT_EQ(c.places, 1);
  EXPECT_EQ(c.policy, ts::spawn_policy::adaptive);
  EXPECT_EQ(c.stack_bytes, 256u * 1024u);
  EXPECT_EQ(c.bind, ts::binding::none);
  EXPECT_FALSE(c.stats);
  EXPECT_EQ(c.trace, "");
  EXPECT_EQ(c.watchdog_seconds, 0);
  EXPECT_EQ(c.seed, 0u);
  EXPECT_TRUE(c.env);
}

TEST(config_test, threads_is_the_number_of_workers) {
  for (const int n : {1, 2, 3, 8}) EXPECT_EQ(workers_of(ts::config{.threads = n, .env = false}), n);
}

TEST(config_test, no_threads_means_the_processors_this_process_may_use) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &before)) {
      CPU_SET(i, &one);
      break;
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const int workers = workers_of(ts::config{.env = false});
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(workers, 1);
  const int usable = workers_of(ts::config{.env = false});
  EXPECT_GE(usable, 1);
  EXPECT_LE(usable, CPU_COUNT(&before));
}

TEST(config_test, a_variable_overrides_the_field) {
  const variable v("TACTUS_THREADS", "3");
  EXPECT_EQ(workers_of(ts::config{.threads = 2}), 3);
}

TEST(config_test, a_flag_overrides_the_variable) {
  const variable v("TACTUS_THREADS", "3");
  EXPECT_EQ(workers_of(command_line{"program", "--tactus-threads=5"}), 5);
}

TEST(config_test, without_env_variables_do_not_count) {
  const variable v("TACTUS_THREADS", "3");
  const variable unknown("TACTUS_NO_SUCH_THING", "1");
  EXPECT_EQ(workers_of(ts::config{.threads = 2, .env = false}), 2);
}

TEST(config_test, a_policy_may_come_from_a_variable) {
  const variable v("TACTUS_POLICY", "work_first");
  bool child_first = false;
  ts::run(ts::config{.threads = 1, .policy = ts::spawn_policy::help_first}, [&] {
    bool child = false;
    ts::finish([&] {
      ts::async([&] { child = true; });
      child_first = child;
    });
  });
  EXPECT_TRUE(child_first);
}

std::vector<std::string> rest_of(command_line line) {
  std::vector<std::string> rest;
  const int result = ts::run(line.argc(), line.argv(), [&](int argc, char** argv) {
    EXPECT_EQ(argv[argc], nullptr);
    rest.assign(argv, argv + argc);
    return 17;
  });
  EXPECT_EQ(result, 17);
  return rest;
}

TEST(arguments_test, the_body_gets_what_is_left) {
  EXPECT_EQ(rest_of({"program", "a", "--tactus-threads=2", "-b", "--tactus-policy=help_first", "c"}),
            (std::vector<std::string>{"program", "a", "-b", "c"}));
}

TEST(arguments_test, without_flags_the_body_gets_everything) {
  EXPECT_EQ(rest_of({"program", "--threads=2", "x"}), (std::vector<std::string>{"program", "--threads=2", "x"}));
}

TEST(arguments_test, flags_after_two_dashes_are_left_alone) {
  EXPECT_EQ(rest_of({"program", "--tactus-threads=2", "--", "--tactus-threads=no number", "--tactus-unknown"}),
            (std::vector<std::string>{"program", "--", "--tactus-threads=no number", "--tactus-unknown"}));
}

TEST(arguments_test, the_callers_array_is_not_changed) {
  command_line line{"program", "--tactus-threads=2", "x"};
  const std::vector<char*> before = line.pointers();
  ts::run(line.argc(), line.argv(), [](int, char**) { return 0; });
  EXPECT_EQ(line.pointers(), before);
  EXPECT_STREQ(line.argv()[1], "--tactus-threads=2");
}

TEST(arguments_test, a_body_without_parameters_will_do) {
  command_line line{"program"};
  EXPECT_EQ(ts::run(line.argc(), line.argv(), [] { return 3; }), 3);
}

TEST(arguments_test, a_reference_that_the_body_returns_stays_one) {
  command_line line{"program"};
  std::unique_ptr<int> kept;  // could not be copied
  EXPECT_EQ(&ts::run(line.argc(), line.argv(), [&]() -> std::unique_ptr<int>& { return kept; }), &kept);
  EXPECT_EQ(&ts::run(line.argc(), line.argv(), [&](int, char**) -> std::unique_ptr<int>& { return kept; }), &kept);
}

TEST(arguments_test, a_void_body_returns_zero) {
  command_line line{"program"};
  EXPECT_EQ(ts::run(line.argc(), line.argv(), [] {}), 0);
  EXPECT_EQ(ts::run(line.argc(), line.argv(), [](int, char**) {}), 0);
}

TEST(refusal_test, of_a_field_names_the_field_and_the_value) {
  const std::string text = refusal_of(ts::config{.threads = -7, .env = false});
  EXPECT_TRUE(contains(text, "threads")) << text;
  EXPECT_TRUE(contains(text, "-7")) << text;
}

TEST(refusal_test, of_more_places_than_there_may_be) {
  const std::string text = refusal_of(ts::config{.places = 1025, .env = false});
  EXPECT_TRUE(contains(text, "places")) << text;
  EXPECT_TRUE(contains(text, "1025")) << text;
}

TEST(refusal_test, of_a_policy_that_is_none) {
  const std::string text = refusal_of(ts::config{.policy = static_cast<ts::spawn_policy>(77), .env = false});
  EXPECT_TRUE(contains(text, "policy")) << text;
}

TEST(refusal_test, of_a_stack_too_small_to_run_anything) {
  const std::string text = refusal_of(ts::config{.stack_bytes = 100, .env = false});
  EXPECT_TRUE(contains(text, "stack_bytes")) << text;
  EXPECT_TRUE(contains(text, "100")) << text;
}

TEST(refusal_test, of_absurdly_many_threads) {
  const std::string text = refusal_of(ts::config{.threads = 1'000'000'000, .env = false});
  EXPECT_TRUE(contains(text, "threads")) << text;
}

TEST(refusal_test, of_a_variable_names_it_the_value_and_what_is_allowed) {
  const variable v("TACTUS_POLICY", "sideways");
  const std::string text = refusal_of(ts::config{});
  EXPECT_TRUE(contains(text, "TACTUS_POLICY")) << text;
  EXPECT_TRUE(contains(text, "sideways")) << text;
  EXPECT_TRUE(contains(text, "work_first")) << text;
  EXPECT_TRUE(contains(text, "help_first")) << text;
  EXPECT_TRUE(contains(text, "adaptive")) << text;
  EXPECT_TRUE(contains(text, "work_sharing")) << text;
}

TEST(refusal_test, of_a_variable_that_is_no_number) {
  for (const char* const bad : {"four", "4x", "-1", "1e3", " "}) {
    const variable v("TACTUS_THREADS", bad);
    const std::string text = refusal_of(ts::config{});
    EXPECT_TRUE(contains(text, "TACTUS_THREADS")) << text;
    EXPECT_TRUE(contains(text, bad)) << text;
  }
}

TEST(refusal_test, of_an_unknown_variable_names_it) {
  const variable v("TACTUS_THRAEDS", "2");
  const std::string text = refusal_of(ts::config{});
  EXPECT_TRUE(contains(text, "TACTUS_THRAEDS")) << text;
}

TEST(foreign_variable_test, is_told_of_once_and_ignored) {
  const variable v("TACTUS_SOMETHING_ELSE", "1");
  const variable root("TACTUS_ROOT", "/opt/tactus");
  const variable empty("TACTUS_POLICY", "");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ts::run([] { return 7; }), 7);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(told, "unknown variable 'TACTUS_SOMETHING_ELSE' is ignored")) << told;
  EXPECT_EQ(told.find("TACTUS_SOMETHING_ELSE"), told.rfind("TACTUS_SOMETHING_ELSE")) << told;
  EXPECT_FALSE(contains(told, "TACTUS_ROOT")) << told;
}

TEST(help_flag_test, ends_the_program_before_the_body_whatever_else_is_wrong) {
  SUPPORT_START_ANEW();  // a forked child may not run anything
  const variable v("TACTUS_THREADS", "many");
  command_line line{"program", "--tactus-nonsense", "--tactus-help"};
  EXPECT_EXIT(ts::run(line.argc(), line.argv(), [] { std::abort(); }), testing::ExitedWithCode(0), "");
}

TEST(refusal_test, of_a_flag_names_it_and_the_value) {
  const std::string text = refusal_of(command_line{"program", "--tactus-threads=many"});
  EXPECT_TRUE(contains(text, "--tactus-threads")) << text;
  EXPECT_TRUE(contains(text, "many")) << text;
}

TEST(refusal_test, of_an_unknown_flag_names_it) {
  const std::string text = refusal_of(command_line{"program", "--tactus-speed=11"});
  EXPECT_TRUE(contains(text, "--tactus-speed")) << text;
}

TEST(refusal_test, comes_before_the_body_runs) {
  bool ran = false;
  EXPECT_TRUE(caught<ts::config_error>([&] { ts::run(ts::config{.threads = -1, .env = false}, [&] { ran = true; }); }));
  EXPECT_FALSE(ran);
}

TEST(refusal_test, of_a_runtime_comes_from_its_constructor) {
  EXPECT_TRUE(caught<ts::config_error>([] { const ts::runtime rt(ts::config{.threads = -1, .env = false}); }));
}

TEST(refusal_test, leaves_nothing_behind) {
  EXPECT_TRUE(caught<ts::config_error>([] { ts::run(ts::config{.threads = -1, .env = false}, [] {}); }));
  EXPECT_EQ(workers_of(ts::config{.threads = 2, .env = false}), 2);
}

TEST(stack_bytes_test, is_room_for_a_deep_task) {
  struct recursion {
    static int deep(std::size_t bytes) {
      volatile char frame[4'096];
      frame[0] = 1;
      frame[4'095] = 2;
      const int below = bytes > sizeof frame ? deep(bytes - sizeof frame) : 0;
      return below + frame[0];
    }
  };
  for (const auto policy : {ts::spawn_policy::work_first, ts::spawn_policy::help_first, ts::spawn_policy::adaptive}) {
    ts::run(ts::config{.threads = 2, .policy = policy, .stack_bytes = 4u << 20, .env = false}, [] {
      for (int i = 0; i < 10; ++i) ts::async([] { EXPECT_GT(recursion::deep(1u << 20), 0); });
    });
  }
}

namespace {

// Uses so many bytes of the stack, each page of them.
[[gnu::noinline]] void need(std::size_t bytes) {
  auto* const p = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (std::size_t i = bytes; i > 512; i -= 512) p[i - 1] = 1;
}

// Uses `own` bytes and calls f on top of them.
template <class F>
[[gnu::noinline]] void on_top_of(std::size_t own, F&& f) {
  auto* const p = static_cast<volatile char*>(__builtin_alloca(own));
  for (std::size_t i = own; i > 512; i -= 512) p[i - 1] = 1;
  f();
  for (std::size_t i = own; i > 512; i -= 512) EXPECT_EQ(p[i - 1], 1);
}

}  // namespace

// The frames of the test itself and of the sanitizers' come on top of what a task needs.
TEST(stack_bytes_test, is_what_each_task_can_rely_on_whatever_waits_below_it) {
  for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{256} << 10}) {
    for (const auto policy : {ts::spawn_policy::work_first, ts::spawn_policy::help_first}) {
      for (std::size_t own = 0; own < bytes; own += bytes / 16) {
        const std::size_t most = bytes - 4'096;
        ts::run(ts::config{.threads = 1, .policy = policy, .stack_bytes = bytes, .env = false}, [=] {
          ts::async([=] {
            on_top_of(own, [=] {
              ts::finish([=] { ts::async(ts::spawn_policy::help_first, [=] { need(most); }); });
              ts::for_each(0, 2, [=](int) { need(most); });
              ts::reduce(0, 2, std::plus<>(), [=](int i) {
                need(most);
                return i;
              });
            });
          });
        });
      }
    }
  }
}

TEST(stack_bytes_test, is_there_however_deep_finishes_nest) {
  struct nest {
    static void deep(int levels) {
      need(std::size_t{200} << 10);
      if (levels > 0) {
        ts::finish(
            [=] { ts::async(ts::spawn_policy::help_first, [=] { on_top_of(20'000, [=] { deep(levels - 1); }); }); });
      }
    }
  };
  ts::run(ts::config{.threads = 1, .env = false}, [] { ts::async([] { nest::deep(100); }); });
}

TEST(binding_test, to_cores_binds_workers_and_leaves_the_callers_mask_alone) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  ts::run(ts::config{.threads = 1, .bind = ts::binding::core, .env = false}, [] {
    cpu_set_t mine;
    ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
    EXPECT_EQ(CPU_COUNT(&mine), 1);
  });
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(binding_test, to_nodes_of_memory_binds_workers_to_the_usable_processors_of_one) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t expected;
  CPU_ZERO(&expected);
  for (const int p : tactus::detail::numa_node_of(tactus::detail::affinity_processors().front())) {
    if (CPU_ISSET(static_cast<std::size_t>(p), &before)) CPU_SET(static_cast<std::size_t>(p), &expected);
  }
  ts::run(ts::config{.threads = 1, .bind = ts::binding::numa, .env = false}, [&expected] {
    cpu_set_t mine;
    ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
    EXPECT_TRUE(CPU_EQUAL(&mine, &expected));
  });
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(stats_flag_test, prints_the_table_to_stderr_at_the_end_of_each_run) {
  ts::runtime rt(ts::config{.threads = 2, .stats = true, .env = false});
  for (int i = 0; i < 2; ++i) {
    testing::internal::CaptureStderr();
    rt.run([] { ts::async([] {}); });
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(contains(printed, "tasks")) << printed;
  }
}

TEST(stats_flag_test, prints_nothing_when_it_is_off) {
  testing::internal::CaptureStderr();
  ts::run(ts::config{.threads = 2, .env = false}, [] { ts::async([] {}); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
