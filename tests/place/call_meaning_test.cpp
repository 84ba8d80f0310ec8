// SPDX-License-Identifier: Apache-2.0
// What a call at another place, or at this one, does with its arguments and its result, whichever way they travel.
#include "place_settings.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;

// Both ways of copying within a process.
class call_meaning_test : public testing::TestWithParam<std::tuple<support::place_setting, ts::copying>> {
protected:
  template <class Body>
  static auto run(Body&& body) {
    ts::config c = support::config_of(std::get<0>(GetParam()));
    c.local_copy = std::get<1>(GetParam());
    return ts::run(c, std::forward<Body>(body));
  }
};

INSTANTIATE_TEST_SUITE_P(places, call_meaning_test,
                         testing::Combine(support::every_place_setting(),
                                          testing::Values(ts::copying::automatic, ts::copying::serialize)),
                         [](const auto& chosen) {
                           return support::name_of(std::get<0>(chosen.param)) +
                                  (std::get<1>(chosen.param) == ts::copying::serialize ? "_as_bytes" : "");
                         });

using numbers = std::vector<int>;

// To g++ 12 a closure is not trivially copyable once its assignment has been asked for, as std::tuple does. It goes whole all the same.
TEST_P(call_meaning_test, a_closure_that_cannot_be_assigned_arrives_as_it_was) {
  run([] {
    const auto plain = [a = 3L, b = 4L] { return 10 * a + b; };
    const auto padded = [letter = 'x', number = 5.5] { return std::pair(letter, number); };
    static_assert(!std::is_copy_assignable_v<std::tuple<std::remove_const_t<decltype(plain)>>>);
    static_assert(!std::is_copy_assignable_v<std::tuple<std::remove_const_t<decltype(padded)>>>);
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(ts::at(p, plain), 34);
      EXPECT_EQ(ts::at(p, padded), std::pair('x', 5.5));
    }
  });
}

std::atomic<int> g_ran;

// ---- what is moved from ----

TEST_P(call_meaning_test, what_is_moved_from_at_the_call_stays_moved_from) {
  run([] {
    const auto take = [](const numbers& n, const std::unique_ptr<int>& one) {
      EXPECT_EQ(n, numbers(100, 7));
      EXPECT_EQ(*one, 8);
      ++g_ran;
    };
    for (const ts::place p : ts::places()) {
      using call = std::function<void(numbers&, std::unique_ptr<int>&)>;
      const call calls[] = {
          [=](numbers& n, auto& one) { ts::async_at(p, take, std::move(n), std::move(one)); },
          [=](numbers& n, auto& one) { ts::async_at(p, ts::named("x"), take, std::move(n), std::move(one)); },
          [=](numbers& n, auto& one) { ts::at(p, take, std::move(n), std::move(one)); },
          [=](numbers& n, auto& one) { ts::at_future(p, take, std::move(n), std::move(one)).get(); },
      };
      for (const call& c : calls) {
        g_ran = 0;
        numbers n(100, 7);
        auto one = std::make_unique<int>(8);
        ts::finish([&] {
          c(n, one);
          EXPECT_TRUE(n.empty());
          EXPECT_EQ(one, nullptr);
        });
        EXPECT_EQ(g_ran, 1);
        EXPECT_TRUE(n.empty());
        EXPECT_EQ(one, nullptr);
      }
    }
    g_ran = 0;
    numbers n(100, 7);
    const auto count = [](const numbers& each) { g_ran += static_cast<int>(each.size()); };
    ts::at_each(ts::places(), count, std::move(n));
    EXPECT_TRUE(n.empty());  // NOLINT(bugprone-use-after-move): that it is
    EXPECT_EQ(g_ran, 100 * ts::num_places());
  });
}

// Cannot be written.
struct stubborn {
  template <class Ar>
  void serialize(Ar&) {
    if constexpr (!Ar::loading) throw std::domain_error("not for writing");
  }
};

TEST_P(call_meaning_test, it_stays_so_where_another_argument_cannot_be_sent) {
  if (std::get<1>(GetParam()) != ts::copying::serialize) return;  // nothing is written
  run([] {
    const auto never = [](const numbers&, const stubborn&) { ADD_FAILURE() << "was called"; };
    for (const ts::place p : ts::places()) {
      numbers to_task(5, 1);
      EXPECT_THROW(ts::async_at(p, never, std::move(to_task), stubborn()), std::domain_error);
      EXPECT_TRUE(to_task.empty());  // NOLINT(bugprone-use-after-move): as above
      numbers to_call(5, 1);
      EXPECT_THROW(ts::at(p, never, std::move(to_call), stubborn()), std::domain_error);
      EXPECT_TRUE(to_call.empty());  // NOLINT(bugprone-use-after-move): as above
    }
  });
}

// ---- what is copied ----

TEST_P(call_meaning_test, what_is_not_moved_from_is_copied_also_to_the_callers_own_place) {
  run([] {
    const auto spoil = [](numbers& n, std::uintptr_t given) {
      EXPECT_EQ(n, numbers(100, 7));
      EXPECT_NE(reinterpret_cast<std::uintptr_t>(n.data()), given);
      n.assign(100, -1);
      ++g_ran;
    };
    g_ran = 0;
    const ts::place_group all = ts::places();
    numbers n(100, 7);
    const auto data = reinterpret_cast<std::uintptr_t>(n.data());
    ts::finish([&] {
      for (const ts::place p : all) {
        ts::async_at(p, spoil, n, data);
        ts::at(p, spoil, n, data);
        ts::at_future(p, spoil, n, data).get();
      }
    });
    ts::at_each(all, spoil, n, data);
    EXPECT_EQ(g_ran, 4 * ts::num_places());
    EXPECT_EQ(n, numbers(100, 7));
  });
}

// Here a task that is spawned begins after what follows the spawn.
TEST(call_meaning_at_home, a_task_has_what_its_arguments_were_at_the_call) {
  const ts::config c{.threads = 1, .policy = ts::spawn_policy::help_first, .env = false};
  g_ran = 0;
  ts::run(c, [] {
    numbers n(100, 7);
    ts::finish([&n] {
      ts::async_at(
          ts::here(),
          [](const numbers& as_given) {
            EXPECT_EQ(as_given, numbers(100, 7));
            ++g_ran;
          },
          n);
      EXPECT_EQ(g_ran, 0);
      n.assign(3, 0);
    });
  });
  EXPECT_EQ(g_ran, 1);
}

struct tells_where_it_is {
  std::uintptr_t made_at;
  bool operator()() const { return reinterpret_cast<std::uintptr_t>(this) == ~made_at; }
};

TEST_P(call_meaning_test, the_function_is_copied_too) {
  run([] {
    tells_where_it_is f{};
    f.made_at = ~reinterpret_cast<std::uintptr_t>(&f);  // which is no reference to the stack
    EXPECT_TRUE(f());
    for (const ts::place p : ts::places()) {
      EXPECT_FALSE(ts::at(p, f));
      EXPECT_FALSE(ts::at_future(p, f).get());
    }
  });
}

// ---- results ----

numbers g_numbers;
numbers& by_reference() { return g_numbers; }
const numbers& by_const_reference(int) { return g_numbers; }

TEST_P(call_meaning_test, a_reference_that_is_returned_arrives_as_a_copy) {
  g_numbers.assign(50, 3);
  run([] {
    for (const ts::place p : ts::places()) {
      static_assert(std::is_same_v<decltype(ts::at(p, by_reference)), numbers>);
      static_assert(std::is_same_v<decltype(ts::at(p, by_const_reference, 1)), numbers>);
      static_assert(std::is_same_v<decltype(ts::at_future(p, by_reference)), ts::future<numbers>>);
      auto&& got = ts::at(p, by_reference);
      EXPECT_EQ(got, numbers(50, 3));
      EXPECT_NE(got.data(), g_numbers.data());
      got.assign(2, 2);
      EXPECT_NE(ts::at(p, by_const_reference, 1).data(), g_numbers.data());
      const ts::future<numbers> f = ts::at_future(p, by_reference);
      EXPECT_EQ(f.get(), numbers(50, 3));
      EXPECT_NE(f.get().data(), g_numbers.data());
      auto&& of_closure = ts::at(
          p,
          [](int n) -> int& {
            static int kept[3] = {10, 11, 12};
            return kept[n];
          },
          2);
      EXPECT_EQ(of_closure++, 12);
      EXPECT_EQ(g_numbers, numbers(50, 3));
    }
    const ts::place_local<numbers> s(50, 4);
    auto&& of_local = s.at(ts::here(), [](numbers& n) -> numbers& { return n; });
    static_assert(std::is_same_v<decltype(of_local), numbers&&>);
    of_local.clear();
    EXPECT_EQ(*s, numbers(50, 4));
    const ts::global_ref<numbers> r(g_numbers);
    r.at([](numbers& n) -> numbers& { return n; }).clear();
    EXPECT_EQ(g_numbers, numbers(50, 3));
  });
}

// ---- how functions are called ----

struct tells_how_it_is_called {
  std::string operator()(std::string& s) const { return "lvalue " + s; }
  std::string operator()(const std::string& s) const { return "const " + s; }
  std::string operator()(std::string&& s) const { return "rvalue " + s; }
};

TEST_P(call_meaning_test, functions_get_rvalues_where_they_take_them) {
  run([] {
    std::string text = "text";
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(ts::at(p, tells_how_it_is_called(), text), "rvalue text");
      EXPECT_EQ(ts::at(p, tells_how_it_is_called(), std::string("text")), "rvalue text");
      EXPECT_EQ(ts::at_future(p, tells_how_it_is_called(), text).get(), "rvalue text");
      const std::uint64_t sum = ts::at(
          p, [](std::string&& a, auto&& b) { return std::is_rvalue_reference_v<decltype(b)> ? a.size() + b : 0; }, text,
          std::uint64_t{5});
      EXPECT_EQ(sum, 9U);
    }
    EXPECT_EQ(text, "text");
  });
}

std::string append(std::string& to, int& n) {
  to += std::to_string(n++);
  ++g_ran;
  return to;
}

TEST_P(call_meaning_test, functions_that_take_lvalues_get_them) {
  run([] {
    g_ran = 0;
    std::string text = "text";
    int n = 4;
    ts::finish([&] {
      for (const ts::place p : ts::places()) {
        const auto closure = [](std::string& s, int& k) { return append(s, k); };
        EXPECT_EQ(ts::at(p, append, text, n), "text4");
        EXPECT_EQ(ts::at(p, closure, std::move(text), 4), "text4");
        text = "text";
        EXPECT_EQ(ts::at_future(p, append, text, n).get(), "text4");
        EXPECT_EQ(ts::at_future(p, closure, text, n).get(), "text4");
        ts::async_at(p, append, text, n);
        ts::async_at(p, closure, std::string("text"), 4);
      }
    });
    EXPECT_EQ(g_ran, 6 * ts::num_places());
    ts::at_each(ts::places(), append, text, n);
    EXPECT_EQ(g_ran, 7 * ts::num_places());
    EXPECT_EQ(text, "text");
    EXPECT_EQ(n, 4);
  });
}

}  // namespace
