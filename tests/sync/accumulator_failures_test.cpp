// SPDX-License-Identifier: Apache-2.0
// Sends and waits that throw: a send that throws has sent nothing, to the result as to the scan, and one that does not throw counts.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"
#include "sync/accumulators.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

namespace ts = tactus;

namespace {

using enum ts::phaser_mode;

// On one worker, so that it is known what throws.
class accumulator_failures_test : public testing::TestWithParam<accumulators::way> {
protected:
  static ts::strategy how() { return GetParam().make(); }
};

INSTANTIATE_TEST_SUITE_P(each, accumulator_failures_test, accumulators::every_strategy(),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

// Copying and assigning may throw, and then nothing has changed.
struct brittle {
  static inline int copies_left = std::numeric_limits<int>::max();
  static void use_one() {
    if (--copies_left == 0) throw std::bad_alloc();
  }
  explicit brittle(int v) : value(v) {}
  brittle(const brittle& other) : value(other.value) { use_one(); }
  brittle& operator=(const brittle& other) {
    use_one();
    value = other.value;
    return *this;
  }
  ~brittle() = default;
  int value;
};

// What comes before the send of 10 that may throw: nothing, a send of the same task, one of another.
enum class before { nothing, own, of_another };

TEST_P(accumulator_failures_test, a_send_that_throws_wherever_it_copies_has_sent_nothing) {
  for (const before first : {before::nothing, before::own, before::of_another}) {
    ts::run(support::config_of(1), [first] {
      const ts::phaser ph;
      const auto add = [](const brittle& x, const brittle& y) { return brittle(x.value + y.value); };
      const auto a = accumulators::combined_by(ph, ts::monoid{brittle(0), add}, how());
      int failed = 0;
      for (bool threw = true; threw; ++failed) {
        int sum = 1000;
        if (first == before::own) a.send(brittle(1));
        if (first == before::of_another) ts::async_future(ts::phased(ph), [a] { a.send(brittle(1)); }).get();
        sum += first == before::nothing ? 0 : 1;
        const brittle x(10);
        brittle::copies_left = failed + 1;
        threw = support::caught<std::bad_alloc>([&] { a.send(x); }).has_value();
        brittle::copies_left = std::numeric_limits<int>::max();
        sum += threw ? 0 : 10;
        a.send(brittle(1000));
        ph.next();
        EXPECT_EQ(a.result().value, sum) << "copy " << failed + 1;
        EXPECT_EQ(a.scan_inclusive().value, first == before::of_another ? sum - 1 : sum) << "copy " << failed + 1;
      }
      EXPECT_GT(failed, 1);
    });
  }
}

// Copying it may throw, and they are counted.
struct many {
  static inline int there_are = 0;
  explicit many(int v) : value(v) { ++there_are; }
  many(const many& other) noexcept(false) : value(other.value) { ++there_are; }
  many& operator=(const many& other) noexcept(false) {
    value = other.value;
    return *this;
  }
  ~many() { --there_are; }
  int value;
};

TEST_P(accumulator_failures_test, what_one_task_sends_in_a_phase_takes_the_room_of_a_few_values) {
  ts::run(support::config_of(1), [] {
    const ts::phaser ph;
    const auto add = [](const many& x, const many& y) { return many(x.value + y.value); };
    const auto a = accumulators::combined_by(ph, ts::monoid{many(0), add}, how());
    ts::async(ts::phased(ph), [ph, a] {
      a.send(many(2));
      ph.next();
    });
    for (int i = 0; i < 1000; ++i) a.send(many(1));
    EXPECT_LT(many::there_are, 200);
    ph.next();
    EXPECT_EQ(a.result().value, 1002);
    EXPECT_EQ(a.scan_inclusive().value, 1000);
  });
}

constexpr int k_most = std::numeric_limits<int>::max();
constexpr auto k_checked_add = [](int x, int y) {
  if (y > 0 && x > k_most - y) throw std::overflow_error("too much");
  return x + y;
};

TEST_P(accumulator_failures_test, a_send_whose_share_of_the_scan_throws_does_not_count_in_the_result) {
  ts::run(support::config_of(1), [] {
    const ts::phaser ph;
    const auto a = accumulators::combined_by(ph, ts::monoid{0, k_checked_add}, how());
    ts::async_future(ts::phased(ph), [a] { a.send(-k_most); }).get();
    a.send(k_most);
    EXPECT_THROW(a.send(1), std::overflow_error);  // more than this task can have sent
    ph.next();
    EXPECT_EQ(a.result(), 0);
    EXPECT_EQ(a.scan_inclusive(), k_most);
  });
}

TEST(accumulator_of_one_value_test, a_send_whose_share_of_the_result_throws_does_not_count_in_the_scan) {
  for (const auto way : {accumulators::k_eager, accumulators::k_eager_with_delay, accumulators::k_per_worker}) {
    for (const bool again : {false, true}) {
      ts::run(support::config_of(1), [way, again] {
        const ts::phaser ph;
        const auto a = accumulators::combined_by(ph, ts::monoid{0, k_checked_add}, way.make());
        ts::async_future(ts::phased(ph), [a] { a.send(k_most); }).get();
        if (again) a.send(0);
        EXPECT_THROW(a.send(1), std::overflow_error) << way.name;
        ph.next();
        EXPECT_EQ(a.result(), k_most) << way.name;
        EXPECT_EQ(a.scan_inclusive(), 0) << way.name;
      });
    }
  }
}

// Leaves no stack for whoever would have to wait: the calling task is refused from here on. What it has spawned waits for `end`.
void use_up_all_stacks(const ts::future<void>& end) {
  for (;;) {
    const ts::promise<void> there;
    ts::async(ts::spawn_policy::help_first, [there, end] {
      there.set_value();
      try {
        end.get();
        // NOLINTNEXTLINE(bugprone-empty-catch): then it does not wait
      } catch (const ts::resource_error&) {
      }
    });
    if (support::caught<ts::resource_error>([&] { there.get_future().get(); })) return;
  }
}

// The last one to arrive makes the results; then it finds that the phase takes more than that, since a task that has arrived has brought
// in one that only signals, and would have to wait for who turns the phase otherwise. It has not arrived, and may send once more.
TEST_P(accumulator_failures_test, a_send_after_a_wait_that_threw_counts_though_the_phase_was_completed_in_vain) {
  static std::atomic<int> state;
  enum { begun, arrived, about_to_wait, completing, special, has_thrown };
  static const auto wait_until = [](int s) {
    while (state != s) std::this_thread::yield();
  };
  state = begun;
  ts::config two = support::config_of(2);
  two.memory_bytes = std::size_t{1} << 20;  // that is in use already: there are as many stacks as are ready
  ts::run(two, [] {
    ts::finish([] {
      const ts::promise<void> end;
      const ts::phaser ph;
      const ts::accumulator<int> a(ph, ts::op::sum, how());
      const auto halting_add = [](int x, int y) {
        if (state == about_to_wait) {
          state = completing;
          wait_until(special);
        }
        return x + y;
      };
      const auto halts = accumulators::combined_by(ph, ts::monoid{0, halting_add}, ts::strategy::dynamic_lazy);
      ts::async(ts::spawn_policy::help_first, ts::phased(ph), [=] {
        a.send(1);
        halts.send(1);
        ph.signal();
        state = arrived;
        wait_until(completing);
        ts::async(ts::spawn_policy::help_first, ts::phased(ph.as(signal_only)), [] {});
        state = special;
        wait_until(has_thrown);
      });
      wait_until(arrived);
      use_up_all_stacks(end.get_future());
      a.send(10);
      halts.send(1);
      state = about_to_wait;
      EXPECT_THROW(ph.next(), ts::resource_error);
      a.send(100);
      state = has_thrown;
      while (support::caught<ts::resource_error>([&] { ph.next(); })) {  // until the others have left
        std::this_thread::yield();
      }
      EXPECT_EQ(a.result(), 111);
      EXPECT_EQ(a.scan_inclusive(), 110);
      ph.next();
      EXPECT_EQ(a.result(), 0);
      end.set_value();
    });
  });
}

}  // namespace
