// SPDX-License-Identifier: Apache-2.0
// place_flexible: what a task that may move means, whatever policy decides about it.
#include "place_settings.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;
using support::each_place_setting;

using placement_test = each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, placement_test, support::every_place_setting(), support::place_setting_name);

// Places of one process share memory: tests look at what tasks of all places have done.
std::atomic<int> g_ran;
std::atomic<int> g_wrong;

void clear() {
  g_ran = 0;
  g_wrong = 0;
}

ts::place last_place() { return ts::place(ts::num_places() - 1); }

TEST_P(placement_test, a_task_runs_at_its_designated_place_and_its_finish_waits) {
  clear();
  run([] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        for (int i = 0; i < 10; ++i) {
          ts::async_at(
              ts::place_flexible(p),
              [](ts::place expected) {
                ++g_ran;
                g_wrong += ts::here() != expected || ts::designated_place() != expected ? 1 : 0;
              },
              p);
        }
      }
    });
    EXPECT_EQ(g_ran, 10 * ts::num_places());
    EXPECT_EQ(g_wrong, 0);
  });
}

TEST_P(placement_test, without_a_place_it_is_the_callers) {
  clear();
  run([] {
    ts::finish([] {
      ts::async_at(last_place(), [] {
        ts::async_at(ts::place_flexible, [] { g_ran += ts::designated_place() == last_place() ? 1 : 0; });
      });
    });
    EXPECT_EQ(g_ran, 1);
    EXPECT_EQ(ts::designated_place(), ts::here());
  });
}

TEST(placement, a_task_never_runs_inside_async_at) {
  for (const ts::spawn_policy policy : {ts::spawn_policy::work_first, ts::spawn_policy::adaptive}) {
    clear();
    ts::run(ts::config{.threads = 1, .policy = policy, .env = false}, [] {
      ts::async([] { g_ran += 10; });  // which under work_first does
      const int before = g_ran;
      ts::async_at(ts::place_flexible, [] { ++g_ran; });
      ts::async_at(ts::place_flexible.named("named"), [] { ++g_ran; });
      EXPECT_EQ(g_ran, before);
    });
    EXPECT_EQ(g_ran, 12);
  }
}

TEST_P(placement_test, arguments_are_copied_or_moved_before_the_call_returns) {
  run([] {
    std::string text = "as it was";
    std::vector<int> numbers{1, 2, 3};
    ts::future<std::string> joined = ts::at_future(
        ts::place_flexible(last_place()),
        [](const std::string& t, std::vector<int>&& n) { return t + std::to_string(n.size()); }, text,
        std::move(numbers));
    text = "changed";
    EXPECT_TRUE(numbers.empty());  // NOLINT(bugprone-use-after-move): it has to be
    EXPECT_EQ(joined.get(), "as it was3");
  });
}

TEST_P(placement_test, an_exception_reaches_the_finish_with_the_tasks_name) {
  run([] {
    try {
      ts::finish([] {
        ts::async_at(ts::place_flexible(last_place()).named("cell"), [] { throw std::out_of_range("too far"); });
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ts::multiple_exceptions& e) {
      ASSERT_EQ(e.exceptions().size(), 1U);
      EXPECT_THROW(std::rethrow_exception(e.exceptions().front()), std::out_of_range);
      EXPECT_NE(std::string(e.what()).find("cell"), std::string::npos) << e.what();
    }
  });
}

// ---- then ----

TEST_P(placement_test, what_stands_in_then_gets_the_result_at_the_designated_place_under_the_same_finish) {
  clear();
  run([] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(
            ts::place_flexible(p).then([](std::string&& made) {
              g_ran += static_cast<int>(made.size());
              g_wrong += made == std::to_string(ts::here().id()) + "!" ? 0 : 1;
            }),
            [](int n) { return std::to_string(n) + "!"; }, p.id());
        ts::async_at(ts::place_flexible(p).then([] { ++g_ran; }), [] {});
      }
    });
    EXPECT_EQ(g_ran, 3 * ts::num_places());
    EXPECT_EQ(g_wrong, 0);
  });
}

TEST_P(placement_test, what_stands_in_then_does_not_run_if_the_function_throws) {
  clear();
  run([] {
    EXPECT_THROW(ts::finish([] {
                   ts::async_at(ts::place_flexible(last_place()).then([](int) { ++g_ran; }),
                                []() -> int { throw std::runtime_error("no result"); });
                 }),
                 ts::multiple_exceptions);
    EXPECT_EQ(g_ran, 0);
  });
}

TEST_P(placement_test, a_target_may_be_kept_and_used_again_and_its_parts_come_in_any_order) {
  clear();
  run([] {
    const auto target = ts::place_flexible(last_place()).then([](int n) { g_ran += n; }).sensitive().named("again");
    ts::finish([&target] {
      for (int i = 0; i < 5; ++i) {
        ts::async_at(target, [](int n) { return n; }, i);
      }
      ts::async_at(ts::place_flexible.named("first").then([](int n) { g_ran += n; }), [] { return 100; });
      ts::async_at(ts::place_flexible.sensitive(), ts::unlooked, ts::named("by an attribute"), [] { g_ran += 1000; });
    });
    EXPECT_EQ(g_ran, 1110);
  });
}

// ---- at_future ----

TEST_P(placement_test, a_future_gets_the_result_at_the_callers_place) {
  run([] {
    ts::future<int> doubled = ts::at_future(ts::place_flexible(last_place()), [](int n) { return 2 * n; }, 21);
    EXPECT_EQ(doubled.get(), 42);
    ts::future<std::string> text =
        ts::at_future(ts::place_flexible(last_place()).then([](int n) { return std::to_string(n); }), [] { return 7; });
    EXPECT_EQ(text.get(), "7");
    ts::future<void> nothing = ts::at_future(ts::place_flexible, [] {});
    nothing.get();
  });
}

TEST_P(placement_test, a_future_gets_the_exception_of_either_function) {
  run([] {
    ts::future<int> first = ts::at_future(ts::place_flexible(last_place()).then([](int n) { return n; }),
                                          []() -> int { throw std::out_of_range("first"); });
    EXPECT_THROW(static_cast<void>(first.get()), std::out_of_range);
    ts::future<int> second = ts::at_future(
        ts::place_flexible(last_place()).then([](int) -> int { throw std::domain_error("second"); }), [] { return 1; });
    EXPECT_THROW(static_cast<void>(second.get()), std::domain_error);
  });
}

// ---- carrying ----

struct only_moved {
  int n = 0;
  only_moved() = default;
  only_moved(const only_moved&) = delete;
  only_moved& operator=(const only_moved&) = delete;
  only_moved(only_moved&&) = default;
  only_moved& operator=(only_moved&& other) = default;
  template <class Ar>
  friend void serialize(Ar& ar, only_moved& x) {
    ar & x.n;
  }
};

TEST_P(placement_test, an_object_is_carried_by_reference_at_its_place) {
  run([] {
    only_moved object;
    const ts::global_ref<only_moved> r(object);
    ts::finish([&r, &object] {
      ts::async_at(
          ts::place_flexible(r.home()).carrying(r),
          [](only_moved& o, int more, std::uintptr_t address) {
            o.n += more;
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&o), ~address);
          },
          5, ~reinterpret_cast<std::uintptr_t>(&object));
    });
    EXPECT_EQ(object.n, 5);
  });
}

TEST_P(placement_test, the_object_of_a_place_local_is_that_of_the_designated_place) {
  run([] {
    ts::place_local<std::string> texts(std::string("at "));
    ts::finish([&texts] {
      for (const ts::place p : ts::places()) {
        ts::async_at(
            ts::place_flexible(p).carrying(texts.ref()), [](std::string& t, int n) { t += std::to_string(n); }, p.id());
      }
    });
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(texts.at(p, [](const std::string& t) { return t; }), "at " + std::to_string(p.id()));
    }
  });
}

TEST_P(placement_test, one_task_at_a_time_carries_an_object) {
  run([] {
    long sum = 0;
    const ts::global_ref<long> r(sum);
    ts::finish([&r] {
      for (int i = 0; i < 20; ++i) {
        ts::async_at(ts::place_flexible.carrying(r), [](long& s) {
          const long before = s;
          ts::yield();  // nobody changes it meanwhile
          s = before + 1;
        });
      }
    });
    EXPECT_EQ(sum, 20);
  });
}

TEST_P(placement_test, an_object_whose_task_throws_can_be_carried_again) {
  run([] {
    int n = 0;
    const ts::global_ref<int> r(n);
    for (int i = 0; i < 2; ++i) {
      EXPECT_THROW(ts::finish([&r] {
                     ts::async_at(ts::place_flexible.carrying(r), [](int& x) {
                       ++x;
                       throw std::runtime_error("after that");
                     });
                   }),
                   ts::multiple_exceptions);
    }
    EXPECT_EQ(n, 2);
  });
}

TEST_P(placement_test, the_object_is_home_before_what_stands_in_then_runs) {
  run([] {
    std::string text = "a";
    const ts::global_ref<std::string> r(text);
    ts::future<std::string> seen = ts::at_future(
        ts::place_flexible.carrying(r).then([r](std::size_t n) { return *r + std::to_string(n); }), [](std::string& t) {
          t += "b";
          return t.size();
        });
    EXPECT_EQ(seen.get(), "ab2");
  });
}

// ---- refusals ----

template <class Error, class F>
std::string what_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(placement, an_object_is_carried_from_its_own_place_only) {
  ts::run(ts::config{.threads = 1, .places = 2, .env = false}, [] {
    int n = 0;
    const ts::global_ref<int> r(n);
    const std::string text =
        what_of<ts::place_error>([&r] { ts::async_at(ts::place_flexible(ts::place(1)).carrying(r), [](int&) {}); });
    EXPECT_NE(text.find("at place 0"), std::string::npos) << text;
    EXPECT_NE(text.find("is 1"), std::string::npos) << text;
    EXPECT_THROW(ts::async_at(ts::place_flexible.carrying(ts::global_ref<int>()), [](int&) {}), ts::place_error);
  });
}

TEST(placement, a_closure_that_names_a_stack_is_refused_whatever_it_is_for) {
  ts::run(ts::config{.threads = 1, .places = 2, .env = false}, [] {
    int n = 0;
    EXPECT_THROW(ts::async_at(ts::place_flexible, [&n] { ++n; }), ts::place_error);
    EXPECT_THROW(ts::async_at(ts::place_flexible.then([&n] { ++n; }), [] {}), ts::place_error);
    EXPECT_THROW(static_cast<void>(ts::at_future(ts::place_flexible, [&n] { ++n; })), ts::place_error);
    ts::finish([&n] { ts::async_at(ts::place_flexible, ts::unlooked, [&n] { ++n; }); });
    EXPECT_EQ(n, 1);
  });
}

TEST(placement, is_refused_where_nothing_may_be_spawned_that_waits) {
  ts::run(ts::config{.threads = 1, .places = 2, .env = false}, [] {
    ts::atomic([] {
      EXPECT_THROW(ts::async_at(ts::place_flexible, [] {}), ts::atomic_use_error);
      EXPECT_THROW(static_cast<void>(ts::at_future(ts::place_flexible, [] {})), ts::atomic_use_error);
    });
    ts::lockstep(
        0, 1, [rounds = 0]() mutable { return rounds++ == 0; },
        [](int) { EXPECT_THROW(ts::async_at(ts::place_flexible, [] {}), ts::usage_error); });
  });
  EXPECT_THROW(ts::async_at(ts::place_flexible, [] {}), ts::usage_error);
  EXPECT_THROW(static_cast<void>(ts::designated_place()), ts::usage_error);
}

// ---- loans ----

TEST_P(placement_test, a_lent_object_is_refused_to_all_who_use_it_by_its_name) {
  run([] {
    std::string text = "home";
    const ts::global_ref<std::string> r(text);
    const ts::global_ref<std::string> other(text);
    ts::place_local<int> numbers(3);
    const int away = ts::here().id() + 1;
    ts::detail::lend(&text, away);
    ts::detail::lend(&*numbers, away);
    const std::string said = what_of<ts::place_error>([&other] { static_cast<void>(other->size()); });
    EXPECT_NE(said.find("lent to place " + std::to_string(away)), std::string::npos) << said;
    EXPECT_THROW(static_cast<void>(r.at([](const std::string& t) { return t.size(); })), ts::place_error);
    EXPECT_THROW(static_cast<void>(*numbers), ts::place_error);
    EXPECT_THROW(static_cast<void>(*numbers.ref()), ts::place_error);
    int unlent = 1;
    EXPECT_EQ(*ts::global_ref<int>(unlent), 1);
    ts::detail::take_home(&text);
    EXPECT_EQ(*r, "home");
    EXPECT_THROW(static_cast<void>(*numbers), ts::place_error);
  });
  // That one never came back; the next run does not mind.
  EXPECT_EQ(run([] {
              ts::place_local<int> numbers(4);
              return *numbers;
            }),
            4);
}

TEST(placement, tasks_of_two_runtimes_may_carry_one_object) {
  const ts::config two_places{.threads = 1, .places = 2, .env = false};
  ts::runtime first(two_places);
  ts::runtime second(two_places);
  std::string text = "home";
  const auto carries = [](const std::string& /*t*/) {};
  first.run([&] {
    const ts::global_ref<std::string> r(text);
    ts::detail::lend(&text, 1);
    std::thread([&] {
      second.run([&] {
        const ts::global_ref<std::string> same(text);
        ts::finish([&] { ts::async_at(ts::place_flexible.carrying(same), carries); });
        EXPECT_EQ(*same, "home");
      });
    }).join();
    EXPECT_THROW(static_cast<void>(r->size()), ts::place_error);
    ts::detail::take_home(&text);
    EXPECT_EQ(*r, "home");
  });
}

TEST_P(placement_test, who_waits_for_an_object_that_never_comes_back_is_told) {
  EXPECT_THROW(run([] {
                 int n = 0;
                 const ts::global_ref<int> r(n);
                 ts::detail::lend(&n, ts::here().id() + 1);
                 try {
                   ts::finish([&r] { ts::async_at(ts::place_flexible.named("second").carrying(r), [](int&) {}); });
                 } catch (const ts::multiple_exceptions& e) {
                   const std::string text =
                       what_of<ts::deadlock_error>([&e] { std::rethrow_exception(e.exceptions().front()); });
                   EXPECT_NE(text.find("lent to place"), std::string::npos) << text;
                   throw;
                 }
               }),
               ts::error);
}

}  // namespace
