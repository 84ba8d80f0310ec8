// SPDX-License-Identifier: Apache-2.0
// The verbs are objects, so arguments from namespace std never lead the compiler to std::async, std::reduce or std::for_each.
#include <tactus/tactus.hpp>

#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace {

template <class Verb>
constexpr bool is_verb = std::is_object_v<Verb> && std::is_const_v<Verb> && std::is_copy_constructible_v<Verb>;

TEST(adl_test, verbs_are_constant_objects) {
  static_assert(is_verb<decltype(tactus::async)>);
  static_assert(is_verb<decltype(tactus::async_future)>);
  static_assert(is_verb<decltype(tactus::finish)>);
  static_assert(is_verb<decltype(tactus::for_each)>);
  static_assert(is_verb<decltype(tactus::reduce)>);
  static_assert(is_verb<decltype(tactus::yield)>);
  static_assert(is_verb<decltype(tactus::num_workers)>);
  static_assert(is_verb<decltype(tactus::worker_id)>);
  static_assert(is_verb<decltype(tactus::run)>);
}

TEST(adl_test, verbs_may_be_used_in_constant_expressions) {
  constexpr auto spawn = tactus::async;
  constexpr auto join = tactus::finish;
  int done = 0;
  tactus::run(support::config_of(1), [&] { join([&] { spawn([&] { done = 1; }); }); });
  EXPECT_EQ(done, 1);
}

TEST(adl_test, unqualified_calls_with_std_arguments_mean_ours) {
  using namespace tactus;
  std::vector<int> cells(10, 0);
  int sum = 0;
  std::string text;
  tactus::run(support::config_of(2), [&] {
    finish(std::function<void()>([&] {
      async(std::function<void()>([&] { text = "async"; }));
      async(named("std"), std::function<void()>([] {}));
      static_cast<void>(async_future(std::function<int()>([] { return 1; })).get());
    }));
    for_each(std::size_t{0}, std::size_t{10}, std::function<void(std::size_t)>([&](std::size_t i) { cells[i] = 1; }));
    sum = reduce(0, 10, std::plus<>{}, std::function<int(int)>([](int i) { return i; }));
  });
  EXPECT_EQ(text, "async");
  EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), 0), 10);
  EXPECT_EQ(sum, 45);
}

namespace hostile {

// What argument-dependent lookup would find if the verbs were functions.
struct task {
  int* done;
  void operator()() const { *done = 1; }
};
template <class... T>
void async(T&&...) = delete;
template <class... T>
void finish(T&&...) = delete;
template <class T>
void operator,(const task&, T&&) = delete;

}  // namespace hostile

TEST(adl_test, functions_beside_the_type_of_an_argument_are_not_considered) {
  using tactus::async;
  using tactus::finish;
  int done = 0;
  tactus::run(support::config_of(1), [&] { finish([&] { async(hostile::task{&done}); }); });
  EXPECT_EQ(done, 1);
}

}  // namespace
