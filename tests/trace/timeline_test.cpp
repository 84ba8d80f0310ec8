// SPDX-License-Identifier: Apache-2.0
// The timeline: what its file says of a program, and that it never says half of something.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"
#include "support/starts_anew.hpp"
#include "support/temporary.hpp"
#include "trace/json_string.hpp"
#include "trace/timeline.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using nlohmann::json;
using support::contains;
using support::temporary_folder;

json read(const std::string& file) { return json::parse(support::contents_of(file)); }

std::vector<json> events_of(const json& all, const std::string& phase, const std::string& category = "") {
  std::vector<json> found;
  for (const json& e : all.at("traceEvents")) {
    if (e.at("ph") == phase && (category.empty() || e.value("cat", "") == category)) found.push_back(e);
  }
  return found;
}

std::multiset<std::string> names_of(const std::vector<json>& events) {
  std::multiset<std::string> names;
  for (const json& e : events) names.insert(e.at("name"));
  return names;
}

// Every slice ends on its worker before the next begins, and times never go back; every wait has two ends.
void expect_whole(const json& all) {
  std::map<int, bool> is_open;
  std::map<int, double> last;
  std::map<std::string, int> waits;
  for (const json& e : all.at("traceEvents")) {
    const std::string phase = e.at("ph");
    if (phase == "b" || phase == "e") waits[e.at("id2").at("local")] += phase == "b" ? 1 : -1;
    if (phase != "B" && phase != "E") continue;
    const int worker = e.at("tid");
    EXPECT_EQ(is_open[worker], phase == "E") << e;
    is_open[worker] = phase == "B";
    EXPECT_GE(e.at("ts").get<double>(), last[worker]) << e;
    last[worker] = e.at("ts");
  }
  for (const auto& [worker, open] : is_open) EXPECT_FALSE(open) << "worker " << worker;
  for (const auto& [task, ends] : waits) EXPECT_EQ(ends, 0) << "task " << task;
}

class timeline_test : public support::each_setting {
protected:
  // What the file says after `body` has run.
  template <class Body>
  json traced(Body body) {
    ts::config c = support::config_of(GetParam().workers, GetParam().policy);
    c.trace = folder_ / "timeline.json";
    ts::run(c, std::move(body));
    json all = read(c.trace);
    expect_whole(all);
    return all;
  }

  temporary_folder folder_;
};
TACTUS_EACH_SETTING(timeline_test);

TEST_P(timeline_test, has_a_slice_for_each_task_by_its_name) {
  const json all = traced([] {
    for (int i = 0; i < 20; ++i) ts::async(ts::named("task " + std::to_string(i)), [] {});
  });
  const auto names = names_of(events_of(all, "B", "task"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(names.count("task " + std::to_string(i)), 1u) << i;
}

TEST_P(timeline_test, counts_every_task_of_a_tree_once) {
  struct tree {
    static void grow(int depth) {
      if (depth == 0) return;
      ts::finish([depth] {
        for (int i = 0; i < 2; ++i) ts::async([depth] { grow(depth - 1); });
      });
    }
  };
  const json all = traced([] { tree::grow(6); });
  std::set<std::uint64_t> tasks;
  for (const json& e : events_of(all, "B", "task")) tasks.insert(e.at("args").at("task").get<std::uint64_t>());
  EXPECT_EQ(tasks.size(), 1u + 2 + 4 + 8 + 16 + 32 + 64);  // the first is the root task
}

TEST_P(timeline_test, names_a_task_without_a_name_by_its_closure) {
  const json all = traced([] {
    ts::async([] {});
    static_cast<void>(ts::async_future([] { return 1; }));
  });
  std::size_t closures = 0;
  for (const json& e : events_of(all, "B", "task")) {
    const std::string name = e.at("name");
    closures += contains(name, "lambda") ? 1U : 0U;
    EXPECT_FALSE(contains(name, "tactus::detail")) << name;
  }
  EXPECT_GE(closures, 2u);
}

TEST_P(timeline_test, shows_the_shares_of_loops_where_they_ran) {
  const json all = traced([] {
    std::atomic<int> calls{0};
    ts::for_each(0, 64, 1, [&calls](int) { ++calls; });
    EXPECT_EQ(calls.load(), 64);
    EXPECT_EQ(ts::reduce(0, 64, 1, std::plus<>{}, [](int i) { return i; }), 63 * 32);
    int rounds = 3;
    ts::lockstep(0, 64, [&rounds] { return rounds-- > 0; }, [](int) {});
  });
  std::map<std::string, std::set<std::uint64_t>> tasks;  // one on top of which others ran has several slices
  for (const json& e : events_of(all, "B", "task"))
    tasks[e.at("name")].insert(e.at("args").at("task").get<std::uint64_t>());
  EXPECT_EQ(tasks["share of for_each"].size(), 63u);
  EXPECT_EQ(tasks["share of reduce"].size(), 63u);
  EXPECT_EQ(tasks["share of lockstep"].empty(), GetParam().workers == 1);
}

TEST_P(timeline_test, says_what_a_task_waits_for_and_that_it_goes_on) {
  const json all = traced([] {
    ts::promise<int> p;
    ts::async(ts::named("waiter"), [p] { EXPECT_EQ(p.get_future().get(), 7); });
    ts::async(ts::named("setter"), [p] {
      for (int i = 0; i < 3; ++i) ts::yield();
      p.set_value(7);
    });
  });
  for (const json& e : events_of(all, "b", "wait")) EXPECT_TRUE(contains(e.at("name"), "waits for ")) << e;
}

TEST_P(timeline_test, shows_clocked_tasks_wait_and_phases_turn) {
  static constexpr int k_phases = 5;
  const json all = traced([] {
    ts::finish(ts::clocked, [](ts::clock c) {
      for (int i = 0; i < 4; ++i) {
        ts::async(ts::clocked(c), [c] {
          for (int k = 0; k < k_phases; ++k) c.advance();
        });
      }
      c.drop();
    });
  });
  std::set<std::uint64_t> phases;
  for (const json& e : events_of(all, "i", "phase")) {
    EXPECT_TRUE(contains(e.at("name"), "clock")) << e;
    phases.insert(e.at("args").at("phase").get<std::uint64_t>());
  }
  EXPECT_GE(phases.size(), static_cast<std::size_t>(k_phases));
}

TEST_P(timeline_test, is_whole_where_tasks_throw_and_futures_pass_values) {
  const json all = traced([] {
    EXPECT_TRUE(support::caught<ts::multiple_exceptions>([] {
      ts::finish([] {
        for (int i = 0; i < 50; ++i) {
          ts::async([i] {
            const auto f = ts::async_future([i] { return i; });
            ts::for_each(0, 10, [](int) {});
            if (f.get() % 7 == 0) throw std::runtime_error("seventh");
          });
        }
      });
    }));
  });
  EXPECT_GT(events_of(all, "B", "task").size(), 100u);
}

TEST_P(timeline_test, says_where_and_by_what_it_was_made) {
  const json all = traced([] {});
  const json& about = all.at("otherData");
  EXPECT_TRUE(contains(about.at("command"), "timeline_test")) << about;
  EXPECT_TRUE(contains(about.at("machine"), "processors")) << about;
  EXPECT_FALSE(about.at("revision").get<std::string>().empty());
  EXPECT_EQ(about.at("events_lost"), 0);
}

TEST_P(timeline_test, does_not_change_the_order_that_a_policy_promises) {
  const auto order_with = [&](const std::string& file) {
    std::vector<int> order;
    ts::config c = support::config_of(1, GetParam().policy);
    c.trace = file;
    ts::run(c, [&order] {
      ts::finish([&order] {
        for (int i = 0; i < 10; ++i) {
          ts::async([&order, i] {
            order.push_back(i);
            ts::async([&order, i] { order.push_back(100 + i); });
          });
        }
      });
    });
    return order;
  };
  EXPECT_EQ(order_with(folder_ / "timeline.json"), order_with(""));
}

TEST(timeline_file_test, keeps_the_newest_events_and_says_how_many_are_lost) {
  const temporary_folder folder;
  ts::config c = support::config_of(1, ts::spawn_policy::help_first);
  c.trace = folder / "timeline.json";
  static constexpr std::size_t k_tasks = tactus::detail::timeline_part::k_room;  // two events each
  ts::run(c, [] {
    for (std::size_t i = 0; i < k_tasks; ++i) ts::async([] {});
    ts::finish([] { ts::async(ts::named("the last one"), [] {}); });
  });
  const json all = read(c.trace);
  expect_whole(all);
  EXPECT_GE(all.at("otherData").at("events_lost").get<std::size_t>(), k_tasks);
  std::size_t lost = 0;
  for (const json& e : events_of(all, "M")) lost += e.at("args").value("events_lost", std::size_t{0});
  EXPECT_EQ(lost, all.at("otherData").at("events_lost"));
  EXPECT_LE(all.at("traceEvents").size(), 2 * k_tasks);
}

// Worker 0 stops the task. Worker 1 goes on with it and stops it again, which is lost, and at last goes on with it.
std::vector<json> waits_after(std::size_t events_between) {
  using kind = tactus::detail::trace_event::kind;
  const temporary_folder folder;
  const std::string file = folder / "timeline.json";
  {
    tactus::detail::timeline whole(file, {0, 0});
    whole.at(0).note(kind::begin, 5, "task");
    whole.at(0).note(kind::stop, 5, "the first");
    whole.at(1).note(kind::go_on, 5, "task");
    whole.at(1).note(kind::stop, 5, "the second");
    for (std::size_t i = 0; i < events_between; ++i) whole.at(1).note(kind::steal, 1, "");
    whole.at(1).note(kind::go_on, 5, "task");
    whole.at(1).note(kind::stop, 5, "the third");
    whole.at(0).note(kind::go_on, 5, "task");
  }
  return events_of(read(file), "b", "wait");
}

TEST(timeline_file_test, makes_no_wait_of_the_ends_of_two_where_events_are_lost) {
  using names = std::multiset<std::string>;
  EXPECT_EQ(names_of(waits_after(100)), (names{"waits for the first", "waits for the second", "waits for the third"}));
  EXPECT_EQ(names_of(waits_after(tactus::detail::timeline_part::k_room)), names{"waits for the third"});
}

TEST(timeline_file_test, that_cannot_be_written_is_refused_at_once) {
  const temporary_folder folder;
  ts::config c = support::config_of(1);
  c.trace = folder / "no such folder/timeline.json";
  const auto e = support::caught<ts::config_error>([&] { ts::run(c, [] { FAIL() << "has run"; }); });
  ASSERT_TRUE(e);
  EXPECT_TRUE(contains(e->what(), c.trace)) << e->what();
  EXPECT_TRUE(contains(e->what(), "TACTUS_TRACE")) << e->what();
  ts::run(support::config_of(1), [] {});  // and nothing is left behind
}

TEST(timeline_file_test, of_a_later_runtime_gets_a_number) {
  const temporary_folder folder;
  ts::config c = support::config_of(1);
  c.trace = folder / "timeline.json";
  for (int i = 0; i < 3; ++i) ts::run(c, [i] { ts::async(ts::named("run " + std::to_string(i)), [] {}); });
  const char* const files[] = {"timeline.json", "timeline-2.json", "timeline-3.json"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(names_of(events_of(read(folder / files[i]), "B")).count("run " + std::to_string(i)), 1u) << files[i];
  }
}

TEST(timeline_file_test, is_the_file_of_one_runtime_however_that_is_named) {
  const temporary_folder folder;
  const auto run_into = [&folder](const std::string& file, const char* name) {
    ts::config c = support::config_of(1);
    c.trace = folder / file;
    ts::run(c, [name] { ts::async(ts::named(name), [] {}); });
  };
  run_into("a.json", "first");
  run_into("./a.json", "second");
  run_into("a-2.json", "third");
  run_into("a.json", "fourth");
  const std::pair<const char*, const char*> expected[] = {
      {"a.json", "first"}, {"a-2.json", "second"}, {"a-2-2.json", "third"}, {"a-3.json", "fourth"}};
  for (const auto& [file, name] : expected) {
    ASSERT_TRUE(std::filesystem::exists(folder / file)) << file;
    EXPECT_EQ(names_of(events_of(read(folder / file), "B")).count(name), 1U) << file;
  }
}

TEST(timeline_file_test, has_its_name_though_it_could_not_be_written_before) {
  const temporary_folder folder;
  ts::config c = support::config_of(1);
  c.trace = folder / "missing/timeline.json";
  EXPECT_THROW(ts::run(c, [] {}), ts::config_error);
  std::filesystem::create_directory(folder / "missing");
  ts::run(c, [] {});
  EXPECT_TRUE(std::filesystem::exists(c.trace));
}

const temporary_folder* g_folder = nullptr;

void run_into_folder() {
  ts::config c = support::config_of(1);
  c.trace = *g_folder / "timeline.json";
  ts::run(c, [] { ts::async([] {}); });
}

void end_with_code_for_second_file() {
  run_into_folder();
  const bool is_there = std::filesystem::exists(*g_folder / "timeline-2.json");
  std::filesystem::remove_all(g_folder->path());
  std::_Exit(is_there ? 42 : 1);
}

// What is registered before the first timeline runs when what that has made, and is destroyed, is gone.
TEST(timeline_file_test, of_a_runtime_that_is_made_while_the_process_ends_gets_a_number) {
  SUPPORT_START_ANEW();
  const auto run_twice = [] {
    const temporary_folder folder;
    g_folder = &folder;
    std::atexit(end_with_code_for_second_file);
    run_into_folder();
    std::exit(1);
  };
  EXPECT_EXIT(run_twice(), testing::ExitedWithCode(42), "");
}

TEST(timeline_file_test, is_not_made_unless_it_is_asked_for) {
  const temporary_folder folder;
  ts::run(support::config_of(2), [] {
    for (int i = 0; i < 10; ++i) ts::async([] {});
  });
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(timeline_file_test, of_a_device_is_that_device_each_time) {
  ts::config c = support::config_of(1);
  c.trace = "/dev/null";
  for (int i = 0; i < 3; ++i) ts::run(c, [] {});
  EXPECT_FALSE(std::filesystem::exists("/dev/null-2"));
}

TEST(timeline_file_test, serves_the_seeded_scheduler) {
  const temporary_folder folder;
  for (std::uint64_t seed = 1; seed <= support::scaled(20, 5); ++seed) {
    ts::config c = support::seeded_config_of(seed, 3);
    c.trace = folder / ("seed" + std::to_string(seed) + ".json");
    std::atomic<int> sum{0};
    ts::run(c, [&sum] {
      for (int i = 1; i <= 10; ++i) ts::async([&sum, i] { sum += ts::async_future([i] { return i; }).get(); });
    });
    EXPECT_EQ(sum.load(), 55);
    expect_whole(read(c.trace));
  }
}

// ---- texts ----

TEST(timeline_text_test, strings_are_json_whatever_the_bytes) {
  using tactus::detail::json_string;
  EXPECT_EQ(json_string("plain"), "\"plain\"");
  EXPECT_EQ(json_string("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json_string("\n\x7f"), "\"\\u000a\\u007f\"");
  EXPECT_EQ(json_string("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
  EXPECT_EQ(json_string("\xc3"), "\"?\"");
  EXPECT_EQ(json_string("\xff\xfe"), "\"??\"");
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"???\"");  // half of a pair
  EXPECT_EQ(json_string("\xc0\x80"), "\"??\"");       // too long
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string bytes{static_cast<char>(a), static_cast<char>(b), 'x'};
      EXPECT_TRUE(json::accept(json_string(bytes))) << a << ' ' << b;
    }
  }
}

}  // namespace
