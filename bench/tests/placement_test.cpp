// SPDX-License-Identifier: Apache-2.0
// The problems of the shelf placement, but for uts_places: their checkers, and the tables that are replayed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "placement/quicksort/quicksort.hpp"
#include "placement/replay/replay.hpp"
#include "placement/replay/table.hpp"
#include "placement/replay/tree.hpp"
#include "placement/turing_ring/turing_ring.hpp"
#include "support/random_numbers.hpp"

namespace bench {
namespace {

options of(std::uint64_t size, const std::string& shape = "") {
  options o;
  o.size = size;
  o.shape = shape;
  o.grain = 0;
  return o;
}

TEST(quicksort, a_part_is_divided_by_its_middle_and_both_sides_get_some) {
  random_numbers from(3);
  for (std::size_t size = 2; size < 200; ++size) {
    numbers some(size);
    for (std::int32_t& n : some) n = static_cast<std::int32_t>(from.below(1 + from.below(20)));
    numbers divided = some;
    const std::size_t left = partition(divided);
    ASSERT_GT(left, 0u);
    ASSERT_LT(left, size);
    EXPECT_LE(*std::max_element(divided.begin(), divided.begin() + static_cast<std::ptrdiff_t>(left)),
              *std::min_element(divided.begin() + static_cast<std::ptrdiff_t>(left), divided.end()));
    EXPECT_TRUE(std::ranges::is_permutation(divided, some));
  }
}

TEST(quicksort, sorts_what_is_sorted_reversed_and_equal_too) {
  for (const char* shape : {"random", "sorted", "reversed", "equal"}) {
    for (const std::uint64_t size : {1U, 2U, 3U, 1000U, 100'000U}) {
      quicksort_problem p(of(size, shape));
      p.reset();
      sort_sequentially(p.data());
      p.verify();
    }
  }
}

TEST(quicksort, accepts_only_the_same_numbers_in_order) {
  quicksort_problem p(of(1000));
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
  sort_sequentially(p.data());
  const numbers right = p.data();
  std::swap(p.data().front(), p.data().back());
  EXPECT_THROW(p.verify(), wrong_answer);
  p.data() = right;
  p.data()[500] = p.data()[501] = p.data()[499];
  p.data()[502] = p.data()[499];
  EXPECT_THROW(p.verify(), wrong_answer);
  p.data() = right;
  p.data().pop_back();
  EXPECT_THROW(p.verify(), wrong_answer);
  p.data() = right;
  p.data().back() = quicksort_problem::k_below;
  EXPECT_THROW(p.verify(), wrong_answer);
  p.data() = right;
  p.verify();
}

TEST(quicksort, the_papers_input_has_no_part_too_small_to_move) {
  EXPECT_EQ(quicksort_problem(of(0)).grain(), 1u);
  EXPECT_EQ(quicksort_problem(of(0)).operations(), 1000u);
  EXPECT_EQ(quicksort_problem(of(1'000'000)).grain(), 4096u);
}

options ring_of(std::uint64_t cells, std::uint64_t steps) {
  options o = of(cells);
  o.phases = steps;
  return o;
}

ring_cells end_of(const turing_ring_problem& p) {
  ring_cells ring = p.beginning();
  run_sequentially(ring, p.steps());
  return ring;
}

TEST(turing_ring, bodies_are_born_die_and_move) {
  const turing_ring_problem p(ring_of(20, 3));
  const ring_cells before = p.beginning();
  for (std::size_t i = 0; i < before.size(); ++i) {
    const ring_cell after = end_of(p)[i];
    EXPECT_GT(after.births, 0u);
    EXPECT_GT(after.deaths, 0u);
    EXPECT_FALSE(after.to_left[0].empty());
    EXPECT_FALSE(after.to_right[1].empty());
  }
}

TEST(turing_ring, one_eighth_of_the_cells_has_much_more_to_do) {
  const ring_cells ring = turing_ring_problem(ring_of(800, 1)).beginning();
  const auto living = [&ring](std::size_t first, std::size_t last) {
    std::uint64_t all = 0;
    for (std::size_t i = first; i < last; ++i) all += ring[i].living[0].size() + ring[i].living[1].size();
    return static_cast<double>(all) / static_cast<double>(last - first);
  };
  EXPECT_GT(living(0, 100), 5 * living(100, 800));
}

TEST(turing_ring, accepts_only_each_body_where_and_in_the_order_in_which_it_has_to_be) {
  turing_ring_problem p(ring_of(10, 4));
  const ring_cells right = end_of(p);
  p.done(right, {});
  p.verify();
  for (const auto& spoil : std::vector<void (*)(ring_cells&)>{
           [](ring_cells& r) { r.pop_back(); },
           [](ring_cells& r) { r[3].living[0].pop_back(); },
           [](ring_cells& r) { std::swap(r[3].living[1][0], r[3].living[1][1]); },
           [](ring_cells& r) { ++r[9].births; },
           [](ring_cells& r) { std::swap(r[4], r[5]); },
       }) {
    ring_cells wrong = right;
    spoil(wrong);
    p.done(std::move(wrong), {});
    EXPECT_THROW(p.verify(), wrong_answer);
  }
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
}

// Two roots; 3 and 4 are children of 1, and 5 is one of 4.
const std::string k_profile =
    "tactus-profile 1\n"
    "run 1 1\n"
    "site 1 flexible 3 0 0 0 0 0 0 0 0 a cell\n"
    "site 2 sensitive 1 0 0 0 0 0 0 0 0 small\n"
    "site 3 plain 1 0 0 0 0 0 0 0 0 file.cpp:7\n"
    "# a remark\n"
    "5 4 0 50 1 2 sensitive 3\n"
    "4 1 0 40 3 0 sensitive 2\n"
    "3 1 0 30 0 0 flexible 1\n"
    "1 0 0 90 8 9 flexible 1\n"
    "2 0 0 20 0 0 flexible 1\n";
const std::string k_end = "end 5 5\n";

task_table table_of(const std::string& text) {
  std::istringstream in(text);
  return read_table(in, "run.tpp");
}

TEST(task_tables, have_children_together_in_the_order_of_their_spawns) {
  const task_table t = table_of(k_profile + k_end);
  EXPECT_EQ(t.roots, 2u);
  std::vector<std::uint64_t> times;
  for (const table_task& task : t.tasks) times.push_back(task.ns);
  EXPECT_EQ(times, (std::vector<std::uint64_t>{90, 20, 30, 40, 50}));
  EXPECT_EQ(std::pair(t.tasks[0].first_child, t.tasks[0].children), (std::pair<std::uint32_t, std::uint32_t>(2, 2)));
  EXPECT_EQ(std::pair(t.tasks[3].first_child, t.tasks[3].children), (std::pair<std::uint32_t, std::uint32_t>(4, 1)));
  EXPECT_EQ(std::pair(t.tasks[0].bytes, t.tasks[0].result_bytes), (std::pair<std::uint64_t, std::uint64_t>(8, 9)));
  ASSERT_EQ(t.sites.size(), 3u);
  EXPECT_EQ(t.sites[t.tasks[0].site].name, "a cell");
  EXPECT_EQ(t.sites[t.tasks[3].site].written, table_site::kind::sensitive);
  EXPECT_EQ(t.sites[t.tasks[4].site].written, table_site::kind::plain);
}

TEST(task_tables, are_refused_where_something_is_missing) {
  for (const std::string& text : std::vector<std::string>{
           "", "tactus-tasks 1\n", k_profile, k_profile + "end 5 4\n", k_profile + "end 6 5\n",
           k_profile + "6 7 0 1 1 1 flexible 1\nend 6 6\n", k_profile + "6 1 0 1 1 1 flexible 4\nend 6 6\n",
           k_profile + "6 1 0 1 1 flexible\nend 6 6\n", k_profile + "site 4 strange 1 0 0 0 0 0 0 0 0 x\n" + k_end,
           "tactus-profile 1\nrun 1 1\nend 0 0\n"}) {
    EXPECT_THROW(static_cast<void>(table_of(text)), std::runtime_error) << text;
  }
}

TEST(task_tables, are_stretched_and_know_what_they_take_at_least) {
  task_table t = table_of(k_profile + k_end);
  EXPECT_EQ(std::pair(t.total_ns(), t.median_ns()), (std::pair<std::uint64_t, std::uint64_t>(230, 40)));
  // 4 begins 60 after 1, and 5 20 after 4.
  EXPECT_EQ(t.longest_path_ns(2), 60u + 20u + 50u);
  EXPECT_EQ(t.longest_path_ns(1), 60u + 20u + 50u + 20u);
  t.stretch_to_median(400);
  EXPECT_EQ(std::pair(t.total_ns(), t.median_ns()), (std::pair<std::uint64_t, std::uint64_t>(2300, 400)));
}

TEST(task_tables, keep_the_shorter_time_of_each_task) {
  task_table t = table_of(k_profile + k_end);
  task_table other = t;
  other.tasks[0].ns = 80;
  other.tasks[1].ns = 21;
  t.keep_shorter(other);
  EXPECT_EQ(std::pair(t.tasks[0].ns, t.tasks[1].ns), (std::pair<std::uint64_t, std::uint64_t>(80, 20)));
  other.tasks[0].children = 1;
  EXPECT_THROW(t.keep_shorter(other), std::runtime_error);
}

TEST(task_tables, are_written_as_the_simulator_reads_them) {
  std::ostringstream out;
  write_table(out, table_of(k_profile + k_end), {91, 21, 31, 41, 51}, 3);
  EXPECT_EQ(out.str(),
            "tactus-tasks 1\n"
            "1 0 3 91 8 9 flexible a cell\n"
            "2 0 3 21 0 0 flexible a cell\n"
            "3 1 3 31 0 0 flexible a cell\n"
            "4 1 3 41 3 0 sensitive small\n"
            "5 4 3 51 1 2 sensitive file.cpp:7\n");
}

TEST(task_tables, that_are_trees_have_tasks_that_spawn_when_they_end) {
  const task_table t = made_tree(of(500));
  EXPECT_EQ(std::pair(t.tasks.size(), t.roots), (std::pair<std::size_t, std::uint32_t>(500, 1)));
  std::uint32_t next = 1;
  std::size_t without = 0;
  for (const table_task& task : t.tasks) {
    EXPECT_EQ(task.first_child, next);
    next += task.children;
    without += task.children == 0 ? 1 : 0;
    EXPECT_EQ(t.spawned_after(task, 0), task.ns);
    EXPECT_TRUE(task.ns >= 1000 && task.ns < 3000);
  }
  EXPECT_EQ(next, 500u);
  EXPECT_TRUE(without > 200 && without < 300);
  EXPECT_LT(20 * t.longest_path_ns(1), t.total_ns());  // enough for eight places
  EXPECT_EQ(made_tree(of(500)).longest_path_ns(1), t.longest_path_ns(1));
  EXPECT_EQ(made_tree(of(0)).tasks.size(), 1000u);
}

TEST(replay, accepts_only_runs_in_which_each_task_ran_once) {
  options o = of(0, "uts");
  o.runs = {"none", "hybrid/found"};
  replay_problem p(o);
  p.set(table_of(k_profile + k_end));
  const auto run = [&p](const std::string& name, const std::vector<std::uint32_t>& tasks) {
    p.begins();
    for (const std::uint32_t task : tasks) p.mark(task, 0);
    p.done(name, {}, {1, 1});
  };
  p.reset();
  EXPECT_THROW(run("none", {0, 1, 2, 3}), wrong_answer);
  EXPECT_THROW(run("none", {0, 1, 2, 3, 4, 4}), wrong_answer);
  run("none", {0, 1, 2, 3, 4});
  EXPECT_THROW(p.verify(), wrong_answer);
  run("hybrid/found", {4, 3, 2, 1, 0});
  p.verify();
  EXPECT_EQ(p.operations(), 10u);
}

TEST(replay, compares_with_the_simulator_each_run) {
  options o = of(0, "tree");
  o.threads = 4;
  o.places = 2;
  o.form = "simulated";
  o.runs = {"none"};
  replay_problem p(o);
  p.set(made_tree(of(3)));
  EXPECT_EQ((std::vector<int>{p.places(), p.workers_of_each(), p.place_of_root()}), (std::vector<int>{2, 2, 1}));
  p.begins();
  for (std::uint32_t task = 0; task < 3; ++task) p.mark(task, 10 * task);
  std::vector<std::uint64_t> took;
  for (const table_task& task : p.table().tasks) took.push_back(task.ns + 10 * took.size());
  EXPECT_EQ(p.took_ns(), took);
  p.done("none", {}, {2, 1});
  EXPECT_THROW(p.verify(), wrong_answer);
  p.simulated("none", 1);
  p.verify();
  nlohmann::json line;
  p.report(line);
  EXPECT_EQ(line["runs"]["none"]["simulated_over_real"], 0.5);
  EXPECT_EQ(p.timed_part().seconds, 2);
  o.runs = {"hybrid/all"};
  EXPECT_THROW(replay_problem{o}, std::invalid_argument);
  o.runs = {"hybrid"};
  replay_problem of_two_roots(o);
  EXPECT_THROW(of_two_roots.set(table_of(k_profile + k_end)), std::invalid_argument);
}

TEST(replay, waves_are_the_steps_of_the_ring) {
  options o = ring_of(0, 2);
  o.shape = "turing_ring";
  replay_problem p(o);
  p.set(table_of(k_profile + k_end));
  EXPECT_EQ(std::pair(p.waves(), p.roots_of_wave()), (std::pair<std::uint32_t, std::uint32_t>(2, 1)));
  o.phases = 3;
  replay_problem of_three(o);
  EXPECT_THROW(of_three.set(table_of(k_profile + k_end)), std::runtime_error);
}

TEST(replay, a_run_is_a_policy_and_labels) {
  EXPECT_EQ(replay_run::named("hybrid/found").placement, "hybrid");
  EXPECT_EQ(replay_run::named("hybrid/found").labels, "found");
  EXPECT_EQ(replay_run::named("none").labels, "as_written");
}

}  // namespace
}  // namespace bench
