// SPDX-License-Identifier: Apache-2.0
// task_local over places: a task has one value at each place that it comes to by at(), whatever way it takes.
#include "place_settings.hpp"

#include "../support/caught.hpp"

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
namespace ts = tactus;
using support::caught;

constexpr int k_most_places = 8;
std::array<std::atomic<int>, k_most_places> g_made;
std::array<std::atomic<int>, k_most_places> g_alive;

int here() { return ts::here().id(); }

// Of the place where it was made, and has to end.
struct traced {
  traced() : made_at(here()) {
    ++g_made[static_cast<std::size_t>(made_at)];
    ++g_alive[static_cast<std::size_t>(made_at)];
  }
  traced(const traced&) = delete;
  traced& operator=(const traced&) = delete;
  ~traced() {
    EXPECT_EQ(here(), made_at);
    --g_alive[static_cast<std::size_t>(made_at)];
  }

  const int made_at;
  int number = 0;
};

ts::task_local<traced> g_value;
ts::task_local<int> g_number;

int read() {
  EXPECT_EQ(g_value->made_at, here());
  return g_value->number;
}

void write(int n) {
  EXPECT_EQ(g_value->made_at, here());
  g_value->number = n;
}

class task_values_test : public support::each_place_setting {
protected:
  task_values_test() {
    for (auto& n : g_made) n = 0;
    for (auto& n : g_alive) n = 0;
  }
  ~task_values_test() override {
    for (const auto& n : g_alive) EXPECT_EQ(n, 0);
  }
};

INSTANTIATE_TEST_SUITE_P(places, task_values_test, support::every_place_setting(), support::place_setting_name);

void expect_made_once_at_each_place() {
  for (int p = 0; p < ts::num_places(); ++p) {
    EXPECT_EQ(g_made[static_cast<std::size_t>(p)], 1) << "place " << p;
  }
}

TEST_P(task_values_test, a_task_finds_its_value_again_at_each_place) {
  run([] {
    for (int round = 0; round < 3; ++round) {
      for (const ts::place p : ts::places()) {
        EXPECT_EQ(ts::at(p, read), 10 * round * p.id());
        ts::at(p, write, 10 * (round + 1) * p.id());
      }
    }
    expect_made_once_at_each_place();
  });
}

TEST_P(task_values_test, a_body_that_stays_has_those_of_its_caller) {
  run([] {
    write(3);
    EXPECT_EQ(ts::at(ts::here(), read), 3);
    ts::at(ts::here(), [] { ts::at(ts::here(), write, 4); });
    EXPECT_EQ(read(), 4);
    ts::at(ts::here(), [] {
      EXPECT_EQ(*g_number, 0);
      *g_number = 5;  // the first use of it is in the body
    });
    EXPECT_EQ(*g_number, 5);
    EXPECT_EQ(g_made[0], 1);
  });
}

// From place to place, back home, and on.
void walk(int left, int sum) {
  EXPECT_EQ(read(), sum == 0 ? 0 : 100 + here());
  write(100 + here());
  if (left != 0) {
    ts::at(ts::here().next(), walk, left - 1, here() == ts::num_places() - 1 ? sum + 1 : sum);
  }
}

TEST_P(task_values_test, a_body_that_goes_on_finds_them_too) {
  run([] {
    walk(3 * ts::num_places() - 1, 0);
    expect_made_once_at_each_place();
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(ts::at(p, read), 100 + p.id()) << "straight from the task";
    }
    expect_made_once_at_each_place();
  });
}

TEST_P(task_values_test, what_a_body_makes_at_home_is_the_tasks) {
  run([] {
    const ts::place other = ts::here().next();
    ts::at(other, [] { ts::at(ts::here().prev(), write, 7); });
    EXPECT_EQ(read(), 7);
    ts::at(other, [] { EXPECT_EQ(ts::at(ts::here().prev(), read), 7); });
    ts::at(ts::here(), [] { EXPECT_EQ(read(), 7); });
    EXPECT_EQ(g_made[0], 1);
  });
}

// While another task of the same place has its own.
TEST_P(task_values_test, tasks_share_none) {
  run([] {
    ts::finish([] {
      for (int i = 1; i <= 20; ++i) {
        ts::async_at(
            ts::place(i % ts::num_places()),
            [](int number) {
              for (const ts::place p : ts::places()) ts::at(p, write, number * 100 + p.id());
              ts::yield();
              for (const ts::place p : ts::places()) EXPECT_EQ(ts::at(p, read), number * 100 + p.id());
              ts::at(ts::here().next(),
                     [] { ts::finish([] { ts::async([] { EXPECT_EQ(read(), 0) << "a child"; }); }); });
            },
            i);
      }
    });
    int made = 0;
    for (int p = 0; p < ts::num_places(); ++p) made += g_made[static_cast<std::size_t>(p)];
    EXPECT_EQ(made, 20 * ts::num_places() + 20) << "one of each task at each place, and one of each child";
  });
}

TEST_P(task_values_test, they_have_gone_when_the_finish_of_the_task_ends) {
  run([] {
    for (int i = 0; i < 10; ++i) {
      ts::finish([] {
        for (int t = 0; t < 4; ++t) {
          ts::async_at(ts::place(t % ts::num_places()), [] {
            for (const ts::place p : ts::places()) ts::at(p, write, 1);
          });
        }
      });
      for (const auto& n : g_alive) EXPECT_EQ(n, 0);
    }
  });
}

TEST_P(task_values_test, each_element_of_a_loop_has_its_own) {
  run([] {
    ts::for_each(0, 12, [](int i) {
      for (const ts::place p : ts::places()) {
        EXPECT_EQ(ts::at(p, read), 0);
        ts::at(p, write, i + 1);
      }
    });
    for (const auto& n : g_alive) EXPECT_EQ(n, 0);
    EXPECT_EQ(g_made[0], 12);
  });
}

TEST_P(task_values_test, they_stay_when_a_body_throws) {
  run([] {
    const ts::place other = ts::here().next();
    EXPECT_TRUE(caught<std::runtime_error>([other] {
      ts::at(other, [] {
        write(9);
        throw std::runtime_error("after that");
      });
    }));
    EXPECT_EQ(ts::at(other, read), 9);
  });
}

// Of a future's task, and of a place_local's call.
TEST_P(task_values_test, are_of_the_task_whatever_calls_at) {
  run([] {
    ts::at(ts::here().next(), write, 1);
    EXPECT_EQ(ts::at_future(ts::here().next(), read).get(), 0) << "a task of its own";
    const ts::place_local<int> s;
    EXPECT_EQ(s.at(ts::here().next(), [](int&) { return read(); }), 1);
  });
}

// An end that uses another value, at its place.
struct uses_another {
  uses_another() = default;
  uses_another(const uses_another&) = delete;
  uses_another& operator=(const uses_another&) = delete;
  ~uses_another() { EXPECT_EQ(g_value->made_at, here()); }
};
ts::task_local<uses_another> g_uses_another;

TEST_P(task_values_test, an_end_may_use_others) {
  run([] {
    ts::finish([] {
      ts::async([] {
        for (const ts::place p : ts::places()) ts::at(p, [] { static_cast<void>(*g_uses_another); });
      });
    });
    for (const ts::place p : ts::places()) {
      EXPECT_EQ(g_made[static_cast<std::size_t>(p.id())], 1);
      EXPECT_EQ(g_alive[static_cast<std::size_t>(p.id())], 0);
    }
  });
}

// The value is there for who comes by a condition, and for a block.
TEST_P(task_values_test, blocks_see_them) {
  run([] {
    for (const ts::place p : ts::places()) {
      ts::at(p, write, 6);
      ts::at(p, [] { ts::atomic([] { EXPECT_EQ(read(), 6); }); });
      ts::at(p, [] {
        ts::atomic([] { *g_number = 8; });
        EXPECT_EQ(*g_number, 8);
      });
      EXPECT_EQ(ts::at(p, [] { return *g_number; }), 8);
    }
  });
}

}  // namespace
