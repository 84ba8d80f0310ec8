// SPDX-License-Identifier: Apache-2.0
#include <tactus/trace/stats.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <clocale>
#include <cstdint>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using tactus::counter_kind;
using tactus::runtime_stats;
using tactus::worker_counters;
using tactus::detail::live_worker_counters;

// Every counter of a worker gets a value of its own.
worker_counters distinct(std::uint64_t start) {
  worker_counters filled;
  worker_counters::visit([&](const char*, const char*, counter_kind, auto member) { filled.*member = start++; });
  return filled;
}

runtime_stats of_workers(std::vector<worker_counters> workers) {
  runtime_stats stats;
  stats.workers = std::move(workers);
  stats.totals = tactus::sum_of(stats.workers);
  return stats;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(counters, visit_meets_every_cell_once_under_its_own_name) {
  std::set<std::string> names;
  std::set<std::string> meanings;
  std::size_t cells = 0;
  worker_counters::visit([&](const char* name, const char* meaning, counter_kind, auto) {
    names.insert(name);
    meanings.insert(meaning);
    ++cells;
  });
  EXPECT_EQ(cells * sizeof(std::uint64_t), sizeof(worker_counters));
  EXPECT_EQ(names.size(), cells);
  EXPECT_EQ(meanings.size(), cells);
  const worker_counters filled = distinct(1);  // a member met twice would leave another one at zero
  worker_counters::visit(
      [&](const char* name, const char*, counter_kind, auto member) { EXPECT_NE(filled.*member, 0U) << name; });
}

TEST(counters, start_at_zero) { EXPECT_EQ(worker_counters{}, snapshot(live_worker_counters{})); }

TEST(counters, snapshot_copies_every_cell_but_the_tasks_run_which_it_adds_up) {
  live_worker_counters live;
  std::uint64_t value = 1;
  live_worker_counters::visit([&](const char*, const char*, counter_kind, auto member) { live.*member += value++; });
  worker_counters expected = distinct(1);
  expected.tasks_run += expected.tasks_run_inline + expected.spawned_work_first;
  EXPECT_EQ(snapshot(live), expected);
}

TEST(counters, live_ones_count_up_down_and_to_a_level) {
  tactus::detail::live_counter one;
  ++one;
  one += 10;
  one -= 3;
  EXPECT_EQ(one.value(), 8U);
  one.raise_to(5);
  EXPECT_EQ(one.value(), 8U);
  one.raise_to(50);
  EXPECT_EQ(one.value(), 50U);
}

TEST(counters, live_ones_may_be_read_while_their_worker_counts) {
  live_worker_counters live;
  constexpr std::uint64_t k_events = 100'000;
  std::thread worker([&] {
    for (std::uint64_t i = 0; i < k_events; ++i) ++live.tasks_run;
  });
  std::uint64_t last = 0;
  while (last < k_events) {
    const std::uint64_t now = snapshot(live).tasks_run;
    EXPECT_GE(now, last);
    last = now;
  }
  worker.join();
  EXPECT_EQ(snapshot(live).tasks_run, k_events);
}

TEST(sum_of, adds_events_and_bytes_and_keeps_the_largest_maximum) {
  const worker_counters a = distinct(100);
  const worker_counters b = distinct(1000);
  const worker_counters sum = tactus::sum_of({a, b});
  worker_counters::visit([&](const char* name, const char*, counter_kind kind, auto member) {
    EXPECT_EQ(sum.*member, kind == counter_kind::high_water ? b.*member : a.*member + b.*member) << name;
  });
  EXPECT_EQ(tactus::sum_of({b, a}), sum);
  EXPECT_EQ(tactus::sum_of({}), worker_counters{});
}

TEST(table, shows_times_totals_and_a_column_per_worker) {
  worker_counters first;
  first.tasks_run = 1'234'567;
  first.stack_bytes = 3 * 1024 * 1024;
  worker_counters second;
  second.tasks_run = 1;
  runtime_stats stats = of_workers({first, second});
  stats.wall = std::chrono::milliseconds(1250);
  stats.cpu = std::chrono::milliseconds(2400);
  EXPECT_EQ(to_table(stats),
            "tactus: 2 workers, 1.250 s wall, 2.400 s processor time\n"
            "                    total   worker 0  worker 1\n"
            "  tasks run     1,234,568  1,234,567         1\n"
            "  stack memory    3.0 MiB    3.0 MiB       0 B\n");
}

TEST(table, shows_one_worker_as_the_total_alone) {
  worker_counters only;
  only.parks = 12;
  EXPECT_EQ(to_table(of_workers({only})),
            "tactus: 1 worker, 0.000 s wall, 0.000 s processor time\n"
            "         total\n"
            "  parks     12\n");
}

TEST(table, shows_the_least_and_the_most_of_many_workers) {
  std::vector<worker_counters> many(9);
  for (std::size_t i = 0; i < many.size(); ++i) many[i].steals_won = 10 + i;
  EXPECT_EQ(to_table(of_workers(many)),
            "tactus: 9 workers, 0.000 s wall, 0.000 s processor time\n"
            "              total  least  most\n"
            "  steals won    126     10    18\n");
  many.pop_back();
  EXPECT_NE(to_table(of_workers(many)).find("worker 7"), std::string::npos);
}

TEST(table, leaves_out_what_is_zero_everywhere_and_says_when_nothing_is_left) {
  EXPECT_EQ(to_table(of_workers({{}, {}})),
            "tactus: 2 workers, 0.000 s wall, 0.000 s processor time\n  nothing counted\n");
  EXPECT_EQ(to_table(runtime_stats{}), "tactus: 0 workers, 0.000 s wall, 0.000 s processor time\n  nothing counted\n");
}

TEST(table, shows_a_total_that_no_worker_has_counted) {
  runtime_stats stats = of_workers({{}, {}});
  stats.totals.peak_stacks_live = 77;
  EXPECT_NE(to_table(stats).find("peak stacks live     77"), std::string::npos) << to_table(stats);
}

TEST(table, is_aligned_and_complete_for_any_number_of_workers) {
  for (const std::size_t count : {1U, 2U, 8U, 9U, 1024U}) {
    std::vector<worker_counters> workers(count);
    for (std::size_t i = 0; i < count; ++i) workers[i] = distinct(1 + i * 99'999'999);
    const auto lines = lines_of(to_table(of_workers(workers)));
    ASSERT_EQ(lines.size(), 2 + sizeof(worker_counters) / sizeof(std::uint64_t));
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_EQ(lines[i].size(), lines[1].size()) << lines[i];
  }
}

TEST(table, prints_bytes_in_the_unit_that_fits) {
  const struct {
    std::uint64_t bytes;
    const char* text;
  } cases[] = {{1, " 1 B\n"},
               {1023, " 1023 B\n"},
               {1024, " 1.0 KiB\n"},
               {1536, " 1.5 KiB\n"},
               {1024 * 1024 - 1, " 1.0 MiB\n"},
               {5ULL << 30U, " 5.0 GiB\n"},
               {~0ULL, " 16.0 EiB\n"}};
  for (const auto& one : cases) {
    worker_counters counters;
    counters.descriptor_bytes = one.bytes;
    const std::string table = to_table(of_workers({counters}));
    EXPECT_NE(table.find(one.text), std::string::npos) << one.bytes << '\n' << table;
  }
}

TEST(table, groups_digits_by_three) {
  const struct {
    std::uint64_t number;
    const char* text;
  } cases[] = {{9, " 9\n"},
               {999, " 999\n"},
               {1000, " 1,000\n"},
               {999'999, " 999,999\n"},
               {1'000'000, " 1,000,000\n"},
               {~0ULL, " 18,446,744,073,709,551,615\n"}};
  for (const auto& one : cases) {
    worker_counters counters;
    counters.tasks_run = one.number;
    const std::string table = to_table(of_workers({counters}));
    EXPECT_NE(table.find(one.text), std::string::npos) << one.number << '\n' << table;
  }
}

TEST(json, has_times_totals_and_every_counter_of_every_worker) {
  runtime_stats stats = of_workers({distinct(1), distinct(101)});
  stats.wall = std::chrono::nanoseconds(12);
  stats.cpu = std::chrono::nanoseconds(34);
  const std::string text = to_json(stats);
  EXPECT_EQ(
      text.rfind("{\"wall_ns\":12,\"cpu_ns\":34,\"totals\":{\"spawned_work_first\":102,\"spawned_help_first\":104,", 0),
      0U)
      << text;
  EXPECT_NE(text.find("],\"workers\":[{\"spawned_work_first\":1,\"spawned_help_first\":2,"), std::string::npos) << text;
  EXPECT_NE(text.find("},{\"spawned_work_first\":101,"), std::string::npos) << text;
  EXPECT_EQ(text.substr(text.size() - 3), "}]}");
  worker_counters::visit([&](const char* name, const char*, counter_kind, auto) {
    const std::string key = '"' + std::string(name) + "\":";
    std::size_t times = 0;
    for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) ++times;
    EXPECT_EQ(times, 3U) << name;
  });
}

TEST(json, has_a_point_in_its_numbers_in_every_locale) {
  runtime_stats stats;
  stats.migration_ratio = 0.5;
  stats.utilisation_sigma = std::numeric_limits<double>::max();
  stats.places.emplace_back().busy_seconds = 1234.25;
  const auto expect_points = [&stats] {
    const std::string text = to_json(stats);
    EXPECT_NE(text.find(",\"migration_ratio\":0.500000,"), std::string::npos) << text;
    EXPECT_NE(text.find(",\"utilisation_mean\":0.000000,"), std::string::npos) << text;
    EXPECT_NE(text.find(",\"busy_seconds\":1234.250000,"), std::string::npos) << text;
    EXPECT_NE(text.find(".000000,\"notices\":[],\"places\":["), std::string::npos) << text;
  };
  expect_points();
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  int with_a_comma = 0;
  for (const char* const name : {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8", "pl_PL.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, name) != nullptr) {
      ++with_a_comma;
      expect_points();
    }
  }
  std::setlocale(LC_NUMERIC, before.c_str());
  if (with_a_comma == 0) GTEST_SKIP() << "no locale with a decimal comma is installed";
}

TEST(json, has_names_of_any_bytes) {
  runtime_stats stats;
  stats.places.emplace_back().operations = {{"a\xff\"b\x7f", "get", 1, 1}};
  const std::string text = to_json(stats);
  EXPECT_NE(text.find(R"({"array":"a?\"b\u007f","operation":"get","messages":1,"bytes":1})"), std::string::npos)
      << text;
}

TEST(json, of_nothing_is_still_an_object) {
  const std::string text = to_json(runtime_stats{});
  EXPECT_EQ(text.substr(text.size() - 14), ",\"workers\":[]}");
}

}  // namespace
