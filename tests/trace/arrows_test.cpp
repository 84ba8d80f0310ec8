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
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
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
  json traced(Body body, const ts::config& more = {}, ts::runtime_stats* counted = nullptr) {
    ts::config c = support::config_of(GetParam().workers, GetParam().policy);
    c.places = more.places;
    c.placement = more.placement;
    c.trace = folder_ / "timeline.json";
    ts::run(c, std::move(body));
    if (counted != nullptr) *counted = ts::stats();
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

// ---- between places ----

TEST_P(arrows_test, lead_from_the_end_of_what_runs_at_another_place_to_its_caller) {
  const flows all(traced(
      [] {
        const auto asks = [](const char* name) {
          ts::async(ts::named(name), [] {
            for (int i = 0; i < 5; ++i) {
              EXPECT_EQ(ts::at(ts::here().next(), [](int n) { return 2 * n; }, i), 2 * i);
            }
          });
        };
        ts::finish([&] {
          asks("one");
          asks("other");
        });
      },
      {.places = 2}));
  std::size_t results = 0;
  for (const arrow& a : all.arrows()) {
    if (a.what == "result") {
      ++results;
      EXPECT_TRUE(a.to.name == "one" || a.to.name == "other") << a.to.name;
      EXPECT_EQ(a.begin, a.from.end);  // the body did not wait
    } else if (a.what == "wake") {
      EXPECT_EQ(a.to.name, "root");  // nobody else is woken but by results
    }
  }
  EXPECT_EQ(results, 10u);
}

TEST_P(arrows_test, lead_from_the_place_that_gives_a_task_to_the_one_that_takes_it) {
  ts::runtime_stats counted;
  const json timeline = traced(
      [] {
        static std::atomic<bool> is_away;
        is_away = false;
        for (int i = 0; i < 100; ++i) {
          ts::async_at(ts::place_flexible.named("wanders"), [] {
            is_away = is_away || ts::here().id() != 0;
            for (int looks = 0; looks < 50'000 && !is_away; ++looks) {
              std::this_thread::yield();  // another place may need this processor
            }
          });
        }
      },
      {.places = 3, .placement = ts::placement_policy::hybrid}, &counted);
  std::uint64_t bytes = 0;
  std::map<int, std::uint64_t> given;
  std::map<int, std::uint64_t> taken;
  for (const json& e : timeline.at("traceEvents")) {
    if (e.at("ph") != "B" || e.at("cat") != "move") continue;
    const json& what = e.at("args");
    if (what.contains("to")) {
      EXPECT_EQ(e.at("name"), "gives wanders");
      EXPECT_NE(what.at("to"), e.at("pid"));
      ++given[e.at("pid")];
      bytes += what.at("bytes").get<std::uint64_t>();
    } else {
      EXPECT_EQ(e.at("name"), "takes wanders");
      EXPECT_NE(what.at("from"), e.at("pid"));
      ++taken[e.at("pid")];
    }
  }
  const flows all(timeline);  // each has both ends
  const auto moves =
      std::count_if(all.arrows().begin(), all.arrows().end(), [](const arrow& a) { return a.what == "move"; });
  EXPECT_EQ(static_cast<std::uint64_t>(moves), counted.moves);
  for (int p = 0; p < 3; ++p) {
    const ts::place_stats& of = counted.places[static_cast<std::size_t>(p)];
    EXPECT_EQ(given[p], of.dealt + of.given) << p;
    EXPECT_EQ(taken[p], of.received) << p;
    bytes -= of.migrated_bytes;
  }
  EXPECT_EQ(bytes, 0u);
  EXPECT_GT(counted.moves, 0u);
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
