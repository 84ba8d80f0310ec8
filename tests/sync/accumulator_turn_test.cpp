// SPDX-License-Identifier: Apache-2.0
// What the user's code of an accumulator meets while a phase turns: between two tasks, since the last one of the phase has ended.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"
#include "sync/accumulators.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace ts = tactus;

namespace {

using support::caught;
using support::contains;

class accumulator_turn_test : public testing::TestWithParam<accumulators::way> {
protected:
  static ts::strategy how() { return GetParam().make(); }
};

INSTANTIATE_TEST_SUITE_P(each, accumulator_turn_test, accumulators::every_strategy(),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

// The last member of the first phase ends at the bottom of its stack: the task that has made it waits, and so does the other member.
template <class T, class A>
void turn_between_tasks(ts::clock c, const A& a, const std::function<void()>& after) {
  a.send(T(1));
  ts::async(ts::clocked(c), [c] { static_cast<void>(c); });
  ts::async(ts::clocked(c), [a, c, after] {
    a.send(T(2));
    c.advance();
    after();
  });
}

ts::config one_worker() { return {.threads = 1, .policy = ts::spawn_policy::help_first, .env = false}; }

TEST_P(accumulator_turn_test, calls_that_ask_about_the_task_are_refused_in_its_function) {
  const ts::phaser* asked = nullptr;
  const ts::accumulator<int>* read = nullptr;
  const struct {
    const char* name;
    std::function<void(ts::clock)> call;
  } calls[] = {{"clock::registered", [](ts::clock c) { static_cast<void>(c.registered()); }},
               {"clock::dropped", [](ts::clock c) { static_cast<void>(c.dropped()); }},
               {"clock::phase", [](ts::clock c) { static_cast<void>(c.phase()); }},
               {"phaser::registered", [&](ts::clock) { static_cast<void>(asked->registered()); }},
               {"phaser::phase", [&](ts::clock) { static_cast<void>(asked->phase()); }},
               {"accumulator::result", [&](ts::clock) { static_cast<void>(read->result()); }},
               {"designated_place", [](ts::clock) { static_cast<void>(ts::designated_place()); }}};
  for (const auto& [name, call] : calls) {
    int refused = 0;
    ts::run(one_worker(), [&] {
      const ts::phaser ph;
      asked = &ph;
      const ts::accumulator<int> other(ph, ts::op::sum);
      read = &other;
      ts::finish(ts::clocked, [&](ts::clock c) {
        const auto function = [&, c](int x, int y) {
          const auto error = caught<ts::usage_error>([&] { call(c); });
          const std::string text = error ? error->what() : "nothing was thrown";
          EXPECT_TRUE(contains(text, name)) << name << ": " << text;
          EXPECT_TRUE(contains(text, "with which an accumulator combines")) << name << ": " << text;
          ++refused;
          return x + y;
        };
        const ts::accumulator a(c, ts::monoid{0, function}, how());
        turn_between_tasks<int>(c, a, [a] { EXPECT_EQ(a.result(), 3); });
      });
    });
    EXPECT_GT(refused, 0) << name;
  }
}

// Whose operator is the program's.
struct counted {
  static inline int refused = 0;
  int value = 0;
  counted() = default;
  explicit counted(int v) : value(v) {}
  friend counted operator+(const counted& x, const counted& y) {
    refused += caught<ts::usage_error>([] { ts::async([] {}); }).has_value() ? 1 : 0;
    return counted(x.value + y.value);
  }
};

// The same of a class that looks like a pair of numbers.
struct fraction {
  static inline int refused = 0;
  int first = 0;
  int second = 1;
  fraction() = default;
  explicit fraction(int v) : first(v) {}
  friend fraction operator+(const fraction& x, const fraction& y) {
    refused += caught<ts::usage_error>([] { ts::async([] {}); }).has_value() ? 1 : 0;
    return fraction(x.first + y.first);
  }
};

TEST_P(accumulator_turn_test, operators_of_a_class_may_do_as_little_as_its_function) {
  counted::refused = 0;
  fraction::refused = 0;
  ts::run(one_worker(), [] {
    ts::finish(ts::clocked, [](ts::clock c) {
      const ts::accumulator<counted> a(c, ts::op::sum, how());
      const ts::accumulator<fraction> b(c, ts::op::sum, how());
      b.send(fraction(4));
      turn_between_tasks<counted>(c, a, [a, b] {
        EXPECT_EQ(a.result().value, 3);
        EXPECT_EQ(b.result().first, 9);
      });
      ts::async(ts::clocked(c), [b] { b.send(fraction(5)); });
    });
  });
  EXPECT_GT(counted::refused, 0);
  EXPECT_GT(fraction::refused, 0);
}

// Whoever makes, copies or ends one uses a value of the running task for it, as a pool of memory may.
struct noisy {
  static inline const ts::task_local<int> used;
  explicit noisy(int v) : value(v) { ++*used; }
  noisy(const noisy& other) : value(other.value) { ++*used; }
  noisy& operator=(const noisy& other) {
    value = other.value;
    ++*used;
    return *this;
  }
  ~noisy() { ++*used; }
  int value;
};

TEST_P(accumulator_turn_test, values_find_task_locals_wherever_they_are_copied_combined_and_ended) {
  ts::run(one_worker(), [] {
    ts::finish(ts::clocked, [](ts::clock c) {
      const auto add = [](const noisy& x, const noisy& y) { return noisy(x.value + y.value); };
      const ts::accumulator a(c, ts::monoid{noisy(0), add}, how());
      turn_between_tasks<noisy>(c, a, [a] {
        const int before = *noisy::used;
        EXPECT_EQ(a.result().value, 3);
        EXPECT_GT(*noisy::used, before);
      });
    });
  });
}

// As above, and what the turn has used are values of the turn.
TEST(accumulator_turn, what_it_keeps_in_task_locals_is_of_no_task) {
  ts::run(one_worker(), [] {
    const ts::task_local<int> mine;
    ts::finish(ts::clocked, [&](ts::clock c) {
      const auto add = [&mine](int x, int y) {
        *mine += 100;
        return x + y;
      };
      *mine = 1;
      const ts::accumulator a(c, ts::monoid{0, add}, ts::strategy::dynamic_lazy);  // combines as the phase turns
      turn_between_tasks<int>(c, a, [a, &mine] {
        EXPECT_EQ(a.result(), 3);
        EXPECT_EQ(*mine, 0);
      });
      EXPECT_EQ(*mine, 1);
    });
  });
}

}  // namespace
