// SPDX-License-Identifier: Apache-2.0
// named("text"): the name that reports use. Other reports with names: deadlock_test, future_test, process_test.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace ts = tactus;

namespace {

using support::caught;
using support::contains;

class names_test : public support::each_setting {
protected:
  /// What run says when the tasks that `body` spawns wait for ever. Each takes a future that nobody sets.
  template <class Body>
  static std::string report_of(Body body) {
    const auto e = caught<ts::deadlock_error>([&] {
      run([&] {
        ts::promise<void> never;
        ts::finish([&] { body(never.get_future()); });
      });
    });
    return e ? e->what() : "no deadlock_error";
  }
};
TACTUS_EACH_SETTING(names_test);

TEST_P(names_test, a_named_task_is_reported_by_its_name) {
  const std::string report = report_of([](auto f) { ts::async(ts::named("reader of the gauge"), [f] { f.get(); }); });
  EXPECT_TRUE(contains(report, "reader of the gauge")) << report;
}

TEST_P(names_test, a_named_future_task_is_reported_by_its_name) {
  const std::string report = report_of([](auto f) {
    static_cast<void>(ts::async_future(ts::named("adder"), [f] {
      f.get();
      return 1;
    }));
  });
  EXPECT_TRUE(contains(report, "adder")) << report;
}

TEST_P(names_test, a_name_goes_with_a_policy_in_either_order) {
  using enum ts::spawn_policy;
  const std::string report = report_of([](auto f) {
    ts::async(ts::named("first"), work_first, [f] { f.get(); });
    ts::async(help_first, ts::named("second"), [f] { f.get(); });
  });
  EXPECT_TRUE(contains(report, "first")) << report;
  EXPECT_TRUE(contains(report, "second")) << report;
}

TEST_P(names_test, a_child_does_not_take_its_parents_name) {
  const std::string report =
      report_of([](auto f) { ts::async(ts::named("parent"), [f] { ts::async([f] { f.get(); }); }); });
  EXPECT_FALSE(contains(report, "parent")) << report;
}

TEST_P(names_test, a_name_may_be_empty_or_long) {
  const std::string name(300, 'n');
  const std::string report = report_of([&](auto f) {
    ts::async(ts::named(""), [f] { f.get(); });
    ts::async(ts::named(name), [f] { f.get(); });
  });
  EXPECT_TRUE(contains(report, "nnnnnnnn")) << report;
}

TEST_P(names_test, a_report_numbers_unnamed_tasks_where_there_are_several) {
  const std::string one = report_of([](auto f) { ts::async([f] { f.get(); }); });
  EXPECT_TRUE(contains(one, "\n  an unnamed task waits for")) << one;
  const std::string two = report_of([](auto f) {
    for (int i = 0; i < 2; ++i) ts::async([f] { f.get(); });
  });
  EXPECT_TRUE(contains(two, "\n  unnamed task 1 waits for")) << two;
  EXPECT_TRUE(contains(two, "\n  unnamed task 2 waits for")) << two;
}

TEST_P(names_test, names_need_not_differ) {
  const std::string report = report_of([](auto f) {
    for (int i = 0; i < 3; ++i) ts::async(ts::named("twin"), [f] { f.get(); });
  });
  std::size_t found = 0;
  for (std::size_t at = report.find("twin"); at != std::string::npos; at = report.find("twin", at + 1)) ++found;
  EXPECT_EQ(found, 3u) << report;
}

}  // namespace
