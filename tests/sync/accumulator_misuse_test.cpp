// SPDX-License-Identifier: Apache-2.0
// Every misuse of an accumulator throws at once, in the misuser, names the operation and changes nothing: phaser_use_error, and on
// the accumulator of a clock clock_use_error.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"
#include "sync/phasers.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace ts = tactus;

namespace {

using phasers::complaint_of;
using support::caught;
using support::contains;
using enum ts::phaser_mode;

using numbers = ts::accumulator<int>;

// An operation, with the word that its complaint must contain.
struct operation {
  const char* name;
  std::function<void(const numbers&)> call;
};

std::vector<operation> writing_operations() {
  return {{"send", [](const numbers& a) { a.send(1'000'000); }}};
}

std::vector<operation> reading_operations() {
  return {{"result", [](const numbers& a) { static_cast<void>(a.result()); }},
          {"scan", [](const numbers& a) { static_cast<void>(a.scan()); }},
          {"scan_inclusive", [](const numbers& a) { static_cast<void>(a.scan_inclusive()); }}};
}

template <class Error>
void expect_refused(const std::vector<operation>& all, const numbers& a) {
  for (const operation& o : all) {
    const std::string text = complaint_of<Error>([&] { o.call(a); });
    EXPECT_TRUE(contains(text, o.name)) << o.name << ": " << text;
  }
}

template <class Error>
void expect_all_refused(const numbers& a) {
  expect_refused<Error>(writing_operations(), a);
  expect_refused<Error>(reading_operations(), a);
}

class accumulator_misuse_test : public support::each_setting {};
TACTUS_EACH_SETTING(accumulator_misuse_test);

TEST_P(accumulator_misuse_test, by_a_task_that_is_not_registered_is_refused) {
  run([] {
    const ts::phaser ph;
    const ts::phaser other;
    const numbers a(ph, ts::op::sum);
    ts::async(ts::phased(other), [a] { expect_all_refused<ts::phaser_use_error>(a); });
    ts::finish([&] { ts::async([a] { expect_all_refused<ts::phaser_use_error>(a); }); });
    ts::for_each(0, 3, [a](int) { expect_all_refused<ts::phaser_use_error>(a); });
    a.send(1);
    ph.next();
    EXPECT_EQ(a.result(), 1);
  });
}

TEST_P(accumulator_misuse_test, by_a_task_that_is_not_registered_on_the_clock_is_a_clock_use_error) {
  run([] {
    const ts::clock c = ts::clock::make();
    const numbers a(c, ts::op::sum);
    ts::finish([&] { ts::async([a] { expect_all_refused<ts::clock_use_error>(a); }); });
    a.send(1);
    c.advance();
    EXPECT_EQ(a.result(), 1);
    c.drop();
    expect_all_refused<ts::clock_use_error>(a);
  });
}

TEST_P(accumulator_misuse_test, an_operator_that_the_type_lacks_is_refused) {
  run([] {
    const ts::phaser ph;
    EXPECT_THROW(ts::accumulator<std::string>(ph, ts::op::min), ts::phaser_use_error);
    const ts::clock c = ts::clock::make();
    EXPECT_THROW(ts::accumulator<std::string>(c, ts::op::min), ts::clock_use_error);
  });
}

TEST_P(accumulator_misuse_test, after_drop_is_refused) {
  run([] {
    const ts::phaser ph;
    const numbers a(ph, ts::op::sum);
    ts::async(ts::phased(ph), [ph, a] {
      a.send(1);
      ph.drop();
      expect_all_refused<ts::phaser_use_error>(a);
    });
    ph.next();
    EXPECT_EQ(a.result(), 1);
    ph.next();
    EXPECT_EQ(a.result(), 0);
  });
}

TEST_P(accumulator_misuse_test, by_the_maker_after_the_body_of_its_finish_is_refused) {
  run([] {
    std::vector<numbers> kept;
    ts::finish([&] {
      const ts::phaser ph;
      kept.emplace_back(ph, ts::op::sum);
    });
    expect_all_refused<ts::phaser_use_error>(kept.front());
  });
}

TEST_P(accumulator_misuse_test, of_an_accumulator_from_an_earlier_run_is_refused) {
  std::vector<numbers> kept;
  run([&] {
    const ts::phaser ph;
    kept.emplace_back(ph, ts::op::sum);
  });
  run([&] { expect_all_refused<ts::phaser_use_error>(kept.front()); });
}

TEST_P(accumulator_misuse_test, by_a_send_of_a_wait_only_task_is_refused) {
  run([] {
    const ts::phaser ph;
    const numbers a(ph, ts::op::sum);
    ts::async(ts::phased(ph.as(wait_only)), [ph, a] {
      expect_refused<ts::phaser_use_error>(writing_operations(), a);
      ph.wait();
      EXPECT_EQ(a.result(), 1);
      expect_refused<ts::phaser_use_error>(writing_operations(), a);
    });
    a.send(1);
    ph.next();
    EXPECT_EQ(a.result(), 1);
  });
}

TEST_P(accumulator_misuse_test, by_reading_in_a_signal_only_task_is_refused) {
  run([] {
    const ts::phaser ph;
    const numbers a(ph, ts::op::sum);
    ts::async(ts::phased(ph.as(signal_only)), [ph, a] {
      expect_refused<ts::phaser_use_error>(reading_operations(), a);
      a.send(1);
      ph.signal();
      expect_refused<ts::phaser_use_error>(reading_operations(), a);
    });
    ph.next();
    EXPECT_EQ(a.result(), 1);
  });
}

TEST_P(accumulator_misuse_test, in_a_task_is_an_exception_like_any_other) {
  run([] {
    const auto e = caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        const ts::phaser ph;
        const numbers a(ph, ts::op::sum);
        ts::async([a] { a.send(1); });
      });
    });
    ASSERT_TRUE(e);
    ASSERT_EQ(e->exceptions().size(), 1u);
    EXPECT_THROW(std::rethrow_exception(e->exceptions().front()), ts::phaser_use_error);
  });
}

TEST_P(accumulator_misuse_test, from_a_foreign_thread_is_a_usage_error_and_changes_nothing) {
  run([] {
    const ts::phaser ph;
    const numbers a(ph, ts::op::sum);
    std::thread([&] {
      expect_all_refused<ts::usage_error>(a);
      const std::string text = complaint_of<ts::usage_error>([&] { static_cast<void>(numbers(ph, ts::op::sum)); });
      EXPECT_TRUE(contains(text, "accumulator")) << text;
    }).join();
    a.send(1);
    ph.next();
    EXPECT_EQ(a.result(), 1);
  });
}

TEST(accumulator_outside_tasks_test, every_operation_throws_usage_error_outside_a_run) {
  std::vector<numbers> kept;
  ts::run(support::config_of(1), [&] {
    const ts::phaser ph;
    kept.emplace_back(ph, ts::op::sum);
  });
  expect_all_refused<ts::usage_error>(kept.front());
}

}  // namespace
