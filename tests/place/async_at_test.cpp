// SPDX-License-Identifier: Apache-2.0
// async_at: tasks at places, and the finish that waits for them.
#include "place_settings.hpp"
#include "support/caught.hpp"

#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {
namespace ts = tactus;
using support::each_place_setting;

using async_at_test = each_place_setting;

INSTANTIATE_TEST_SUITE_P(places, async_at_test, support::every_place_setting(), support::place_setting_name);

// Tests look at what tasks of all places have done: places of one process share memory.
std::atomic<int> g_ran;
std::atomic<int> g_at[8];

void clear() {
  g_ran = 0;
  for (auto& n : g_at) {
    n = 0;
  }
}

void note() {
  ++g_at[ts::here().id()];
  ++g_ran;
}

TEST_P(async_at_test, runs_at_the_place_named_and_its_finish_waits) {
  clear();
  run([] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(
            p,
            [](int expected) {
              EXPECT_EQ(ts::here().id(), expected);
              note();
            },
            p.id());
      }
    });
    EXPECT_EQ(g_ran, ts::num_places());
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(g_at[p.id()], 1);
    }
  });
}

void tree(int depth) {
  note();
  if (depth > 0) {
    ts::async_at(ts::here().next(), tree, depth - 1);
    ts::async_at(ts::here().prev(), tree, depth - 1);
    ts::async([depth] { ts::async_at(ts::here(), tree, depth - 1); });
  }
}

TEST_P(async_at_test, tasks_of_tasks_are_waited_for_wherever_they_are) {
  clear();
  run([] {
    for (int round = 0; round < 5; ++round) {
      g_ran = 0;
      ts::finish([] { ts::async_at(ts::place(ts::num_places() - 1), tree, 5); });
      EXPECT_EQ(g_ran, 364);  // (3^6 - 1) / 2
    }
  });
}

TEST_P(async_at_test, a_finish_at_another_place_waits_for_its_own) {
  clear();
  run([] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(p, [] {
          auto const done = std::make_shared<std::atomic<int>>(0);
          std::atomic<int>* const counted = done.get();
          ts::finish([counted] {
            for (const ts::place q : ts::places()) {
              ts::async_at(
                  q, [](std::uintptr_t c) { ++*reinterpret_cast<std::atomic<int>*>(c); },
                  reinterpret_cast<std::uintptr_t>(counted));
            }
          });
          EXPECT_EQ(*done, ts::num_places());
          note();
        });
      }
    });
    EXPECT_EQ(g_ran, ts::num_places());
  });
}

TEST_P(async_at_test, arguments_arrive_as_they_were_given) {
  run([] {
    std::string text(1000, 'x');
    std::vector<int> numbers(500);
    std::iota(numbers.begin(), numbers.end(), 0);
    ts::finish([&] {
      for (const ts::place p : ts::places()) {
        ts::async_at(
            p,
            [](const std::string& t, std::vector<int> n, double d) {
              EXPECT_EQ(t, std::string(1000, 'x'));
              EXPECT_EQ(n.size(), 500u);
              EXPECT_EQ(n[499], 499);
              EXPECT_EQ(d, 2.5);
            },
            text, numbers, 2.5);
      }
    });
    EXPECT_EQ(text.size(), 1000u);
  });
}

struct of_one_place {
  of_one_place() = default;
  of_one_place(const of_one_place&) = delete;
  of_one_place& operator=(const of_one_place&) = delete;
  std::atomic<int> calls = 0;
};
of_one_place g_one;

of_one_place& call_it() {
  ++g_one.calls;
  return g_one;
}

TEST_P(async_at_test, what_a_function_returns_is_not_looked_at) {
  g_one.calls = 0;
  run([] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(p, &call_it);
        ts::async_at(p, [](int) -> of_one_place& { return call_it(); }, 1);
      }
    });
    EXPECT_EQ(g_one.calls, 2 * ts::num_places());
  });
}

TEST_P(async_at_test, tasks_may_wait_at_any_place) {
  clear();
  run([] {
    ts::finish([] {
      for (const ts::place p : ts::places()) {
        for (int i = 0; i < 20; ++i) {
          ts::async_at(p, [] {
            ts::promise<int> promised;
            ts::async([promised] { promised.set_value(3); });
            ts::yield();
            EXPECT_EQ(promised.get_future().get(), 3);
            note();
          });
        }
      }
    });
    EXPECT_EQ(g_ran, 20 * ts::num_places());
  });
}

TEST_P(async_at_test, many_small_tasks_in_little_room) {
  clear();
  ts::config options = support::config_of(GetParam());
  options.message_bytes = 256;
  ts::run(options, [] {
    ts::finish([] {
      for (int i = 0; i < 500; ++i) {
        ts::async_at(
            ts::place(i % ts::num_places()),
            [](int n) {
              note();
              if (n % 10 == 0) {
                ts::async_at(ts::here().next(), note);
              }
            },
            i);
      }
    });
    EXPECT_EQ(g_ran, 550);
  });
}

TEST_P(async_at_test, what_a_task_throws_comes_out_of_the_finish) {
  run([] {
    try {
      ts::finish([] {
        for (const ts::place p : ts::places()) {
          ts::async_at(p, [](int n) { throw std::runtime_error("from " + std::to_string(n)); }, p.id());
        }
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ts::multiple_exceptions& all) {
      EXPECT_EQ(all.exceptions().size(), static_cast<std::size_t>(ts::num_places()));
    }
  });
}

TEST_P(async_at_test, runs_follow_each_other) {
  ts::runtime rt(support::config_of(GetParam()));
  for (int i = 0; i < 20; ++i) {
    clear();
    rt.run([] {
      for (const ts::place p : ts::places()) {
        ts::async_at(p, note);
      }
    });
    EXPECT_EQ(g_ran, GetParam().places);
  }
}

TEST_P(async_at_test, names_travel) {
  run([] {
    const ts::place last(ts::num_places() - 1);
    const auto of_far = support::caught<ts::multiple_exceptions>([last] {
      ts::finish([last] {
        ts::async_at(last, ts::named("far"), [] {
          const auto of_near = support::caught<ts::multiple_exceptions>(
              [] { ts::finish([] { ts::async(ts::named("near"), [] { throw std::runtime_error("x"); }); }); });
          EXPECT_TRUE(of_near && support::contains(of_near->what(), "(task 'near')"));
          throw std::runtime_error("y");
        });
      });
    });
    ASSERT_TRUE(of_far);
    const std::string where = last == ts::here() ? std::string() : " at " + ts::to_string(last);
    EXPECT_EQ(std::string(of_far->what()), "1 exception: std::runtime_error: \"y\" (task 'far'" + where + ")");
  });
}

TEST_P(async_at_test, a_task_without_a_name_is_told_by_its_place) {
  run([] {
    for (const ts::place p : ts::places()) {
      const auto far = support::caught<ts::multiple_exceptions>(
          [p] { ts::finish([p] { ts::async_at(p, [] { throw std::runtime_error("y"); }); }); });
      ASSERT_TRUE(far);
      const std::string where = p == ts::here() ? std::string() : " (a task at " + ts::to_string(p) + ")";
      EXPECT_EQ(std::string(far->what()), "1 exception: std::runtime_error: \"y\"" + where);
    }
  });
}

TEST_P(async_at_test, a_place_of_a_larger_run_is_refused_also_behind_the_last_one) {
  std::vector<ts::place> others;
  ts::run(ts::config{.threads = 1, .places = GetParam().places + 2, .env = false}, [&others] {
    for (int more = 0; more < 2; ++more) others.emplace_back(ts::num_places() - 2 + more);
  });
  run([&others] {
    for (const ts::place p : others) {
      EXPECT_THROW(ts::async_at(p, [] { ADD_FAILURE() << "it was sent"; }), ts::place_error) << p.id();
    }
  });
}

TEST_P(async_at_test, is_refused_where_a_task_may_not_wait_and_on_clocks_and_phasers) {
  run([] {
    const ts::place p = ts::here().next();
    ts::finish([p] {
      const ts::clock c = ts::clock::make();
      const ts::phaser ph;
      EXPECT_THROW(ts::async_at(p, ts::clocked(c), [] {}), ts::clock_use_error);
      EXPECT_THROW(ts::async_at(p, ts::phased(ph), [] {}), ts::phaser_use_error);
      EXPECT_THROW(ts::async_at(p, ts::phased_all, [] {}), ts::phaser_use_error);
    });
    int refused = 0;
    bool more = true;
    ts::lockstep(
        0, 1, [&more] { return std::exchange(more, false); },
        [&refused, p](int) {
          try {
            ts::async_at(p, [] {});
          } catch (const ts::usage_error&) {
            ++refused;
          }
        });
    EXPECT_EQ(refused, 1);
  });
  EXPECT_THROW(ts::async_at(ts::place(), [] {}), ts::usage_error);
}

TEST_P(async_at_test, phasers_and_accumulators_go_to_the_callers_place_only) {
  run([] {
    const ts::phaser ph;
    const ts::accumulator<int> sum(ph, ts::op::sum);
    for (const ts::place p : ts::places()) {
      const auto there = [](const ts::phaser& other, const ts::accumulator<int>&) { EXPECT_FALSE(other.registered()); };
      if (p == ts::here()) {
        ts::finish([&] { ts::async_at(p, there, ph, sum); });
        ts::at(p, there, ph, sum);
      } else {
        EXPECT_THROW(ts::async_at(p, there, ph, sum), ts::phaser_use_error);
        EXPECT_THROW(ts::at(p, there, ph, sum), ts::phaser_use_error);
        EXPECT_THROW(ts::async_at(p, ts::phased(ph), there, ph, sum), ts::phaser_use_error);
      }
    }
  });
}

const ts::future<int>* g_future = nullptr;

TEST_P(async_at_test, a_future_stays_at_its_place) {
  run([] {
    const ts::promise<int> promised;
    const ts::future<int> mine = promised.get_future();
    g_future = &mine;
    for (const ts::place p : ts::places()) {
      if (p != ts::here()) {
        EXPECT_THROW(ts::at(p, [] { static_cast<void>(g_future->get()); }), ts::place_error);
      }
    }
    promised.set_value(1);
  });
}

}  // namespace
