// SPDX-License-Identifier: Apache-2.0
// at_each: one call at each of several places.
#include "place_settings.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/mman.h>

namespace {
namespace ts = tactus;
using at_each_test = support::each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, at_each_test, support::every_place_setting(), support::place_setting_name);

std::atomic<int> g_calls[8];

void clear() {
  for (auto& n : g_calls) {
    n = 0;
  }
}

TEST_P(at_each_test, calls_once_at_each_place) {
  clear();
  run([] {
    ts::at_each(
        ts::places(),
        [](const std::string& text) {
          EXPECT_EQ(text, "for all");
          ++g_calls[ts::here().id()];
        },
        std::string("for all"));
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(g_calls[p.id()], 1);
    }
  });
}

TEST_P(at_each_test, takes_arguments_that_cannot_be_copied) {
  clear();
  run([] {
    ts::at_each(
        ts::places(),
        [](std::unique_ptr<int> one, const std::vector<std::unique_ptr<int>>& all) {
          EXPECT_EQ(*one, 4);
          EXPECT_EQ(*all.at(0), 5);
          ++g_calls[ts::here().id()];
        },
        std::make_unique<int>(4),
        [] {
          std::vector<std::unique_ptr<int>> all;
          all.push_back(std::make_unique<int>(5));
          return all;
        }());
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(g_calls[p.id()], 1);
    }
  });
}

TEST_P(at_each_test, waits_for_what_the_calls_have_spawned) {
  clear();
  run([] {
    ts::at_each(ts::places(),
                [] { ts::async_at(ts::here().next(), [] { ts::async([] { ++g_calls[ts::here().id()]; }); }); });
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(g_calls[p.id()], 1);
    }
  });
}

TEST_P(at_each_test, may_leave_out_the_callers_place_and_name_one_twice) {
  clear();
  run([] {
    std::vector<ts::place> some;
    for (const ts::place p : ts::places()) {
      if (p != ts::here()) {
        some.push_back(p);
        some.push_back(p);
      }
    }
    ts::at_each(some, [] { ++g_calls[ts::here().id()]; });
    EXPECT_EQ(g_calls[0], 0);
    for (const ts::place p : some) {
      EXPECT_EQ(g_calls[p.id()], 2);
    }
    ts::at_each(ts::place_group(), [] { ADD_FAILURE() << "there is no place to call it at"; });
  });
}

TEST_P(at_each_test, throws_one_flat_list_of_what_escaped_everywhere) {
  run([] {
    try {
      ts::at_each(ts::places(), [] { throw std::runtime_error("at " + std::to_string(ts::here().id())); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ts::multiple_exceptions& all) {
      ASSERT_EQ(all.exceptions().size(), static_cast<std::size_t>(ts::num_places()));
      for (const std::exception_ptr& e : all.exceptions()) {
        EXPECT_THROW(std::rethrow_exception(e), std::runtime_error);
      }
    }
  });
}

std::uint64_t messages() {
  std::uint64_t all = 0;
  for (const ts::place_stats& p : ts::stats().places) {
    all += p.messages;
  }
  return all;
}

TEST_P(at_each_test, takes_two_messages_for_each_place_but_the_callers) {
  run([] {
    for (int round = 0; round < 3; ++round) {
      const std::uint64_t before = messages();
      ts::at_each(ts::places(), [] {});
      EXPECT_EQ(messages() - before, 2U * (static_cast<std::uint64_t>(ts::num_places()) - 1));
    }
  });
}

void count_here() { ++g_calls[ts::here().id()]; }
void add_here(int n) { g_calls[ts::here().id()] += n; }

TEST_P(at_each_test, a_closure_that_refers_to_the_stack_is_refused_and_called_nowhere) {
  run([] {
    int calls = 0;
    const std::vector<ts::place> none;
    EXPECT_THROW(ts::at_each(ts::places(), [&calls] { ++calls; }), ts::place_error);
    EXPECT_THROW(ts::at_each(std::vector{ts::here()}, [&calls] { ++calls; }), ts::place_error);
    EXPECT_THROW(ts::at_each(none, [&calls] { ++calls; }), ts::place_error);
    EXPECT_EQ(calls, 0);
  });
}

TEST_P(at_each_test, takes_functions) {
  clear();
  run([] {
    ts::at_each(ts::places(), count_here);
    ts::at_each(ts::places(), &add_here, 10);
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(g_calls[p.id()], 11);
    }
  });
}

#if defined(__x86_64__) || defined(__aarch64__)
// As a program makes that compiles while it runs: no file has it, and so no name.
class made_function {
public:
  made_function()
      : code_(::mmap(nullptr, sizeof k_returns, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    std::memcpy(code_, k_returns, sizeof k_returns);
    ::mprotect(code_, sizeof k_returns, PROT_READ | PROT_EXEC);
    __builtin___clear_cache(static_cast<char*>(code_), static_cast<char*>(code_) + sizeof k_returns);
  }
  ~made_function() { ::munmap(code_, sizeof k_returns); }
  made_function(const made_function&) = delete;
  made_function& operator=(const made_function&) = delete;

  [[nodiscard]] auto get() const { return reinterpret_cast<void (*)()>(code_); }

private:
#ifdef __x86_64__
  static constexpr unsigned char k_returns[] = {0xc3};
#else
  static constexpr unsigned char k_returns[] = {0xc0, 0x03, 0x5f, 0xd6};
#endif
  void* code_;
};

TEST_P(at_each_test, takes_functions_of_no_file) {
  const made_function made;
  run([f = made.get()] {
    ts::at_each(ts::places(), f);
    ts::finish([&] { ts::async_at(ts::place_flexible, f); });
    ts::finish([&] { ts::async_at(ts::place_flexible.then(f), f); });
  });
}
#endif

}  // namespace
