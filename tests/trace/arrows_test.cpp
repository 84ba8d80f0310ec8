// SPDX-License-Identifier: Apache-2.0
// The arrows of a timeline: from a spawn to the begin of the child, and from who ends a wait to where the task goes on.
#include <tactus/tactus.hpp>

#include "support/flows.hpp"
#include "support/settings.hpp"
#include "support/temporary.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace ts = tactus;

namespace {

using nlohmann::json;
using support::arrow;
using support::count;
using support::flows;
using support::temporary_folder;

std::size_t waits_for(const std::string& reason, const json& timeline) {
  const auto& events = timeline.at("traceEvents");
  return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [&](const json& e) {
    return e.at("ph") == "b" && e.at("name") == "waits for " + reason;
  }));
}

class arrows_test : public support::each_setting {
protected:
  template <class Body>
  json traced(Body body) {
    ts::config c = support::config_of(GetParam().workers, GetParam().policy);
    c.trace = folder_ / "timeline.json";
    ts::run(c, std::move(body));
    return json::parse(support::contents_of(c.trace));
  }

  temporary_folder folder_;
};
TACTUS_EACH_SETTING(arrows_test);

TEST_P(arrows_test, lead_from_each_spawn_to_the_begin_of_the_child) {
  const flows all(traced([] {
    for (int i = 0; i < 5; ++i) {
      const std::string parent = "parent " + std::to_string(i);
      ts::async(ts::named(parent), [i] {
        for (int k = 0; k < 4; ++k) ts::async(ts::named("child " + std::to_string(i)), [] {});
        ts::async(ts::affinity(1), ts::named("child " + std::to_string(i)), [] {});
      });
    }
  }));
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(count(all.arrows(), "spawn", "root", "parent " + number), 1u) << i;
    EXPECT_EQ(count(all.arrows(), "spawn", "parent " + number, "child " + number), 5u) << i;
  }
  EXPECT_EQ(std::count_if(all.arrows().begin(), all.arrows().end(), [](const arrow& a) { return a.what == "spawn"; }),
            30);
}

TEST_P(arrows_test, lead_from_who_fulfils_a_promise_to_who_waited_for_it) {
  const json timeline = traced([] {
    const ts::promise<int> p;
    std::atomic<bool> begun{false};
    ts::finish([&] {
      ts::async(ts::named("waiter"), [&begun, f = p.get_future()] {
        begun = true;
        EXPECT_EQ(f.get(), 7);
      });
      ts::async(ts::spawn_policy::help_first, ts::named("setter"), [&begun, p] {
        while (!begun) ts::yield();
        p.set_value(7);
      });
    });
  });
  const std::size_t waits = waits_for("a future of a promise", timeline);
  const std::size_t woken = count(flows(timeline).arrows(), "wake", "setter", "waiter");
  EXPECT_LE(woken, waits);  // one that finds the value after all has been woken by itself
  if (GetParam().workers == 1) {
    EXPECT_EQ(woken, 1u);
  }
}

TEST_P(arrows_test, lead_from_the_last_to_arrive_at_a_clock_to_those_who_waited) {
  static constexpr std::size_t k_members = 4;
  static constexpr int k_phases = 5;
  const json timeline = traced([] {
    ts::finish(ts::clocked, [](ts::clock c) {
      for (std::size_t i = 0; i < k_members; ++i) {
        ts::async(ts::named("member"), ts::clocked(c), [c] {
          for (int k = 0; k < k_phases; ++k) c.advance();
        });
      }
      c.drop();
    });
  });
  const std::size_t waits = waits_for("a clock", timeline);
  const flows all(timeline);
  const std::size_t by_root = count(all.arrows(), "wake", "root", "member");  // which was the last before it dropped
  const std::size_t woken = count(all.arrows(), "wake", "member", "member") + by_root;
  EXPECT_LE(woken, waits);  // one that was last and yet waited has been woken by itself
  if (GetParam().workers == 1) {
    EXPECT_GE(waits, (k_members - 1) * k_phases);
    EXPECT_EQ(woken, waits);
  }
}

TEST_P(arrows_test, lead_from_the_last_task_of_a_finish_to_who_waited_for_it) {
  const json timeline = traced([] {
    const ts::promise<void> p;
    ts::async(ts::spawn_policy::help_first, ts::named("setter"), [p] { p.set_value(); });
    ts::finish([f = p.get_future()] { ts::async(ts::spawn_policy::work_first, ts::named("child"), [f] { f.get(); }); });
  });
  const std::size_t waits = waits_for("the tasks of a finish", timeline);
  const std::size_t woken = count(flows(timeline).arrows(), "wake", "child", "root");
  EXPECT_LE(woken, waits);
  if (GetParam().workers == 1) {
    EXPECT_EQ(woken, 1u);
  }
}

TEST_P(arrows_test, are_whole_where_tasks_wait_for_each_other_in_many_ways) {
  const flows all(traced([] {
    const ts::stream<int> numbers(ts::bound{2});
    int sum = 0;
    ts::finish([&] {
      for (int first = 0; first < 2; ++first) {
        ts::async([in = numbers.in(), first] {
          for (int n = first; n < 50; n += 2) in.push(n);
          in.close();
        });
      }
      for (int i = 0; i < 3; ++i) {
        ts::async([out = numbers.out(), &sum] {
          while (const std::optional<int> n = out.pop()) {
            const auto f = ts::async_future([n] { return *n; });
            ts::for_each(0, 4, [](int) { ts::yield(); });
            const int value = f.get();
            ts::atomic([&] { sum += value; });
          }
        });
      }
      ts::async([&] { ts::when([&] { return sum == 49 * 25; }, [] {}); });
    });
    EXPECT_EQ(sum, 49 * 25);
  }));
  EXPECT_GE(all.arrows().size(), 50u);
}

}  // namespace
