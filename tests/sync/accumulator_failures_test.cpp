// SPDX-License-Identifier: Apache-2.0
// Sends that throw: a send that throws has sent nothing, to the result as to the scan, and one that does not throw counts.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"
#include "sync/accumulators.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <new>
#include <stdexcept>
#include <string>

namespace ts = tactus;

namespace {

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

}  // namespace
