// SPDX-License-Identifier: Apache-2.0
// Programs with a timeline that find no memory for it: their tasks go their way, and runtimes that could not be made leave
// nothing behind.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/failing_allocation.hpp"
#include "support/settings.hpp"
#include "support/temporary.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <exception>
#include <string>

namespace ts = tactus;

namespace {

ts::config traced_config(const std::string& file) {
  ts::config c = support::config_of(1);
  c.trace = file;
  return c;
}

constexpr long k_most = 30;  // more allocations than what is tried needs

// What the root task leaves to others when it stops is queued; the reason has to be kept.
TEST(timeline_memory_test, a_task_stops_also_where_there_is_no_memory_to_say_why) {
  for (long failing = 1; failing <= k_most; ++failing) {
    int value = 0;
    bool has_run = false;
    ts::run(traced_config("/dev/null"), [&] {
      ts::finish([&] {
        const ts::promise<int> p;
        ts::async(ts::spawn_policy::help_first, ts::named("setter"), [&has_run, p] {
          has_run = true;
          p.set_value(7);
        });
        support::g_allocations_left = failing;
        try {
          value = p.get_future().get();
        } catch (const std::exception&) {
          value = 7;  // there was no memory to wait
        }
        support::g_allocations_left = LONG_MAX;
      });
    });
    EXPECT_TRUE(has_run) << "allocation " << failing;
    EXPECT_EQ(value, 7) << "allocation " << failing;
  }
}

TEST(timeline_memory_test, a_finish_waits_also_where_there_is_no_memory_to_say_so) {
  for (long failing = 1; failing <= k_most; ++failing) {
    int value = 0;
    ts::run(traced_config("/dev/null"), [&] {
      ts::finish([&] {
        const ts::promise<int> p;
        ts::async(ts::spawn_policy::work_first, ts::named("waiter"), [&value, f = p.get_future()] { value = f.get(); });
        ts::async(ts::spawn_policy::help_first, ts::named("setter"), [p] { p.set_value(7); });
        support::g_allocations_left = failing;
      });
      support::g_allocations_left = LONG_MAX;
    });
    EXPECT_EQ(value, 7) << "allocation " << failing;
  }
}

// One that is made where another was, at the same address, has a timeline of its own.
TEST(timeline_memory_test, a_runtime_that_could_not_be_made_leaves_none_behind) {
  const support::temporary_folder folder;
  bool is_made = false;
  for (long failing = 1; !is_made; ++failing) {
    ts::config c = traced_config("/dev/null");
    c.profile = "/dev/null";
    support::g_allocations_left = failing;
    try {
      const ts::runtime rt(c);
      is_made = support::g_allocations_left.exchange(LONG_MAX) > 0;
    } catch (const std::exception&) {
      support::g_allocations_left = LONG_MAX;
    }
    const std::string file = folder / (std::to_string(failing) + ".json");
    ts::run(traced_config(file), [] { ts::async(ts::named("seen"), [] {}); });
    ASSERT_TRUE(support::contains(support::contents_of(file), "seen")) << "allocation " << failing;
  }
}

}  // namespace
