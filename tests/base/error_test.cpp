// SPDX-License-Identifier: Apache-2.0
#include <tactus/base/error.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using tactus::deadlock_error;
using tactus::multiple_exceptions;

using list = std::vector<std::exception_ptr>;

std::exception_ptr boom(const std::string& what) { return std::make_exception_ptr(std::runtime_error(what)); }

std::exception_ptr nest(list inner) { return std::make_exception_ptr(multiple_exceptions(std::move(inner))); }

list numbered(int count) {
  list many;
  for (int i = 0; i < count; ++i) many.push_back(boom(std::string("m").append(std::to_string(i))));
  return many;
}

std::string message_of(const std::exception_ptr& one) {
  try {
    std::rethrow_exception(one);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "?";
  }
}

std::vector<std::string> messages_of(const list& many) {
  std::vector<std::string> texts;
  for (const auto& one : many) texts.push_back(message_of(one));
  return texts;
}

class silent : public std::exception {
public:
  [[nodiscard]] const char* what() const noexcept override { return nullptr; }
};

TEST(errors, all_derive_from_error) {
  static_assert(std::is_base_of_v<std::runtime_error, tactus::error>);
  static_assert(std::is_base_of_v<tactus::error, tactus::usage_error>);
  static_assert(std::is_base_of_v<tactus::error, tactus::config_error>);
  static_assert(std::is_base_of_v<tactus::error, tactus::resource_error>);
  static_assert(std::is_base_of_v<tactus::error, tactus::broken_promise>);
  static_assert(std::is_base_of_v<tactus::error, multiple_exceptions>);
  static_assert(std::is_base_of_v<tactus::error, deadlock_error>);
  EXPECT_THROW(throw multiple_exceptions({boom("x")}), tactus::error);
}

TEST(errors, are_copied_without_throwing) {
  static_assert(std::is_nothrow_copy_constructible_v<multiple_exceptions>);
  static_assert(std::is_nothrow_copy_assignable_v<multiple_exceptions>);
  static_assert(std::is_nothrow_copy_constructible_v<deadlock_error>);
  static_assert(std::is_nothrow_copy_assignable_v<deadlock_error>);
}

TEST(multiple_exceptions, quotes_one_message) {
  EXPECT_STREQ(multiple_exceptions({boom("no such file")}).what(), "1 exception: std::runtime_error: \"no such file\"");
}

TEST(multiple_exceptions, quotes_messages_in_the_order_of_the_list) {
  EXPECT_STREQ(multiple_exceptions({boom("a"), boom("b"), boom("")}).what(),
               "3 exceptions: std::runtime_error: \"a\"; std::runtime_error: \"b\"; std::runtime_error: \"\"");
}

TEST(multiple_exceptions, tells_the_type_of_what_is_no_std_exception) {
  const multiple_exceptions all({std::make_exception_ptr(7), boom("b"), std::exception_ptr()});
  EXPECT_STREQ(all.what(), "3 exceptions: exception of type int; std::runtime_error: \"b\"; no exception");
}

struct own_error : std::logic_error {
  using std::logic_error::logic_error;
};

TEST(multiple_exceptions, tells_types_as_the_program_spells_them) {
  const multiple_exceptions all({std::make_exception_ptr(std::vector<int>()), std::make_exception_ptr(own_error("x")),
                                 std::make_exception_ptr(tactus::usage_error("y")),
                                 std::make_exception_ptr(std::string())});
  const std::string text = all.what();
  for (const char* const part : {"exception of type std::vector<int", "own_error: \"x\"",
                                 "; tactus::usage_error: \"y\"", "exception of type std::basic_string<char"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(multiple_exceptions, tells_from_where_exceptions_are) {
  const multiple_exceptions all({boom("a"), boom("b"), std::make_exception_ptr(7), nest({boom("c")}), boom("d")},
                                {"task 'reader'", "", "step 2 of a loop", "task 'outer'"});
  EXPECT_STREQ(all.what(),
               "5 exceptions: std::runtime_error: \"a\" (task 'reader'); std::runtime_error: \"b\"; "
               "exception of type int (step 2 of a loop); [1 exception: std::runtime_error: \"c\"] (task 'outer'); "
               "std::runtime_error: \"d\"");
}

TEST(multiple_exceptions, keeps_from_where_it_is_through_wrappers) {
  const auto inner = std::make_exception_ptr(multiple_exceptions({boom("a")}, {"task 'reader'"}));
  EXPECT_STREQ(multiple_exceptions({nest({inner})}).what(), "1 exception: std::runtime_error: \"a\" (task 'reader')");
}

TEST(multiple_exceptions, survives_a_what_that_returns_null) {
  EXPECT_STREQ(multiple_exceptions({std::make_exception_ptr(silent{})}).what(),
               "1 exception: (anonymous namespace)::silent: \"\"");
}

TEST(multiple_exceptions, quotes_sixteen_messages_and_counts_no_rest) {
  const std::string text = multiple_exceptions(numbered(16)).what();
  EXPECT_EQ(text.rfind("16 exceptions: std::runtime_error: \"m0\"; ", 0), 0U) << text;
  EXPECT_NE(text.find("\"m15\""), std::string::npos) << text;
  EXPECT_EQ(text.find("more"), std::string::npos) << text;
}

TEST(multiple_exceptions, counts_what_comes_after_sixteen_messages) {
  for (const int count : {17, 18, 1000}) {
    const std::string text = multiple_exceptions(numbered(count)).what();
    const std::string end =
        std::string("; std::runtime_error: \"m15\"; and ").append(std::to_string(count - 16)).append(" more");
    ASSERT_GT(text.size(), end.size());
    EXPECT_EQ(text.substr(text.size() - end.size()), end);
    EXPECT_EQ(text.find("m16"), std::string::npos) << text;
  }
}

TEST(multiple_exceptions, quotes_nested_ones_in_brackets) {
  const multiple_exceptions all({boom("a"), nest({boom("b"), boom("c")}), nest({boom("d")})});
  EXPECT_STREQ(all.what(),
               "3 exceptions: std::runtime_error: \"a\"; [2 exceptions: std::runtime_error: \"b\"; std::runtime_error: "
               "\"c\"]; [1 exception: std::runtime_error: \"d\"]");
}

TEST(multiple_exceptions, adds_no_text_around_a_single_nested_one) {
  EXPECT_STREQ(multiple_exceptions({nest({nest({boom("a"), boom("b")})})}).what(),
               "2 exceptions: std::runtime_error: \"a\"; std::runtime_error: \"b\"");
}

TEST(multiple_exceptions, clips_a_long_message_and_tells_by_how_much) {
  const std::string text = multiple_exceptions({boom(std::string(100'000, 'x')), boom("end")}).what();
  EXPECT_LT(text.size(), 5'000U);
  EXPECT_NE(text.find("more characters)\"; std::runtime_error: \"end\""), std::string::npos) << text;
}

TEST(multiple_exceptions, has_a_bounded_text_however_deep_and_wide_it_nests) {
  std::exception_ptr one = boom("deepest");
  for (int depth = 0; depth < 200; ++depth) {
    list level(20, one);
    one = nest(std::move(level));
  }
  EXPECT_LT(message_of(one).size(), 64U * 1024);
}

TEST(multiple_exceptions, gives_its_direct_elements) {
  const auto first = boom("a");
  const auto second = nest({boom("b")});
  const multiple_exceptions all({first, second});
  EXPECT_EQ(all.exceptions(), (list{first, second}));
}

TEST(multiple_exceptions, flattens_to_leaves_from_left_to_right) {
  const multiple_exceptions all(
      {boom("a"), nest({boom("b"), nest({boom("c")}), boom("d")}), nest({nest({boom("e")})}), boom("f")});
  EXPECT_EQ(messages_of(all.flattened()), (std::vector<std::string>{"a", "b", "c", "d", "e", "f"}));
}

TEST(multiple_exceptions, flattens_to_itself_when_nothing_nests) {
  const multiple_exceptions all({boom("a"), std::make_exception_ptr(7), std::exception_ptr()});
  EXPECT_EQ(all.flattened(), all.exceptions());
}

TEST(multiple_exceptions, flattens_ten_thousand_levels_without_deep_recursion) {
  std::exception_ptr one = boom("deepest");
  for (int depth = 0; depth < 10'000; ++depth) one = nest({one});
  try {
    std::rethrow_exception(one);
  } catch (const multiple_exceptions& all) {
    EXPECT_EQ(messages_of(all.flattened()), (std::vector<std::string>{"deepest"}));
    EXPECT_STREQ(all.what(), "1 exception: std::runtime_error: \"deepest\"");
  }
}

std::exception_ptr nested_deep(std::exception_ptr one, int levels) {
  for (int level = 0; level < levels; ++level) one = nest({std::exchange(one, nullptr)});
  return one;
}

// Counts those there are.
class counted {
public:
  counted() noexcept { ++alive; }
  counted(const counted& /*other*/) noexcept { ++alive; }
  counted& operator=(const counted&) noexcept = default;
  ~counted() { --alive; }

  static inline std::atomic<int> alive = 0;
};

TEST(multiple_exceptions, is_destroyed_two_hundred_thousand_levels_deep_without_recursion) {
  std::exception_ptr one = nested_deep(std::make_exception_ptr(counted()), 200'000);
  ASSERT_EQ(counted::alive, 1);
  one = nullptr;
  EXPECT_EQ(counted::alive, 0);
}

TEST(multiple_exceptions, is_assigned_over_two_hundred_thousand_levels_without_recursion) {
  multiple_exceptions one({nested_deep(std::make_exception_ptr(counted()), 200'000)});
  one = multiple_exceptions({boom("another")});
  EXPECT_EQ(counted::alive, 0);
}

TEST(multiple_exceptions, lets_inner_ones_live_that_others_share) {
  std::exception_ptr inner = nested_deep(std::make_exception_ptr(counted()), 1000);
  std::exception_ptr outer = nested_deep(nest({inner, boom("beside"), inner}), 1000);
  outer = nullptr;
  EXPECT_EQ(counted::alive, 1);
  EXPECT_EQ(messages_of(multiple_exceptions({inner}).flattened()), (std::vector<std::string>{"?"}));
  inner = nullptr;
  EXPECT_EQ(counted::alive, 0);
}

// Each thread lets go of every level on its own, from another end: whoever is last somewhere frees what lies below.
TEST(multiple_exceptions, is_let_go_by_several_threads_at_once) {
  constexpr int k_threads = 4;
  constexpr int k_levels = 20'000;
  list levels{std::make_exception_ptr(counted())};
  while (levels.size() < k_levels) levels.push_back(nest({levels.back()}));
  std::vector<list> shares(k_threads, levels);
  levels.clear();
  std::atomic<int> missing = k_threads;
  std::vector<std::thread> threads;
  for (int t = 0; t < k_threads; ++t) {
    threads.emplace_back([&missing, t, &mine = shares[static_cast<std::size_t>(t)]] {
      --missing;
      while (missing != 0) std::this_thread::yield();
      if (t % 2 == 0) {
        while (!mine.empty()) mine.pop_back();
      } else {
        for (std::exception_ptr& one : mine) one = nullptr;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(counted::alive, 0);
}

TEST(multiple_exceptions, copies_share_the_list_and_a_move_leaves_it) {
  multiple_exceptions one({boom("a")});
  const multiple_exceptions copy = one;
  const multiple_exceptions moved = std::move(one);  // NOLINT(performance-move-const-arg): a move copies
  EXPECT_EQ(&copy.exceptions(), &moved.exceptions());
  EXPECT_EQ(&copy.exceptions(), &one.exceptions());  // NOLINT(bugprone-use-after-move): that is the fact tested
  EXPECT_STREQ(copy.what(), moved.what());
}

TEST(multiple_exceptions, can_be_made_while_another_exception_is_handled) {
  try {
    throw std::logic_error("outer");
  } catch (const std::logic_error&) {
    const multiple_exceptions all({boom("a"), nest({boom("b")})});
    EXPECT_EQ(all.flattened().size(), 2U);
    EXPECT_EQ(message_of(std::current_exception()), "outer");
  }
}

TEST(deadlock_error, carries_its_text_and_what_else_escaped) {
  const deadlock_error plain("stuck");
  EXPECT_STREQ(plain.what(), "stuck");
  EXPECT_TRUE(plain.exceptions().empty());
  const auto other = boom("a");
  const deadlock_error full("stuck: two tasks", {other});
  const deadlock_error copy = full;  // NOLINT(performance-unnecessary-copy-initialization): the copy is tested
  EXPECT_STREQ(copy.what(), "stuck: two tasks");
  EXPECT_EQ(copy.exceptions(), (list{other}));
}

// Every exception of Tactus can be made from one string.
TEST(error_test, a_program_may_throw_one_with_a_text_of_its_own) {
  const multiple_exceptions all(std::string("nothing went well"));
  EXPECT_STREQ(all.what(), "nothing went well");
  EXPECT_TRUE(all.exceptions().empty());
  EXPECT_TRUE(all.flattened().empty());
  const multiple_exceptions copy(all);
  EXPECT_STREQ(copy.what(), "nothing went well");
  const multiple_exceptions around({std::make_exception_ptr(all), boom("x")});
  EXPECT_EQ(around.flattened().size(), 1U);
}

}  // namespace
