// SPDX-License-Identifier: Apache-2.0
// Each problem's checker accepts the right answer and no other: a benchmark that cannot fail proves nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "census/census.hpp"
#include "escaping_tree/escaping_tree.hpp"
#include "fib/fib.hpp"
#include "flat/flat.hpp"
#include "growth/growth.hpp"
#include "lockstep/lockstep.hpp"
#include "spanning_tree/spanning_tree.hpp"

namespace bench {
namespace {

options of_size(std::uint64_t n) {
  options o;
  o.size = n;
  return o;
}

TEST(checkers, fib_accepts_only_the_number) {
  fib_problem p(of_size(20));
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
  p.result = serial_fib(20);
  p.verify();
  ++p.result;
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, fib_counts_its_calls) { EXPECT_EQ(fib_problem(of_size(5)).operations(), 15u); }

TEST(checkers, marks_miss_no_task) {
  flat_problem p(of_size(100));
  p.reset();
  for (std::uint64_t i = 0; i < 99; ++i) p.set(i);
  EXPECT_THROW(p.verify(), wrong_answer);
  p.set(99);
  p.verify();
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, growth_divides_a_budget_without_loss) {
  for (std::uint64_t seed = 1; seed < 1000; ++seed) {
    const auto part = growth_problem::divide(seed * 1000, seed);
    EXPECT_EQ(part[0] + part[1] + part[2], seed * 1000);
  }
}

TEST(checkers, growth_counts_every_task_once) {
  growth_problem p(of_size(2));
  p.reset();
  p.count(0);
  EXPECT_THROW(p.verify(), wrong_answer);
  p.count(1);
  p.verify();
  p.count(0);
  EXPECT_THROW(p.verify(), wrong_answer);
}

/// n tasks by one loop: every phase is complete when the loop is.
void run_serially(lockstep_problem& p) {
  p.reset();
  p.creation_begins();
  p.run_phases(true, [&] {
    for (std::uint64_t i = 0; i < p.size(); ++i) p.update(i);
  });
}

options of_shape(std::uint64_t n, const std::string& shape) {
  options o = of_size(n);
  o.shape = shape;
  return o;
}

TEST(checkers, lockstep_accepts_tasks_that_took_part_in_every_phase) {
  lockstep_problem p(of_size(10));
  run_serially(p);
  p.verify();
}

TEST(checkers, lockstep_misses_no_phase_of_any_task) {
  lockstep_problem p(of_size(10));
  run_serially(p);
  p.update(9);
  EXPECT_THROW(p.verify(), wrong_answer);
  p.reset();
  p.run_phases(true, [&] {
    for (std::uint64_t i = 0; i < 9; ++i) p.update(i);
  });
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, lockstep_wants_the_phases_to_have_been_timed) {
  lockstep_problem p(of_size(1));
  p.reset();
  p.run_phases(false, [&] { p.update(0); });
  EXPECT_THROW(p.verify(), wrong_answer);
}

TEST(checkers, lockstep_does_not_time_what_lies_before_its_phases) {
  const stopwatch whole;
  lockstep_problem p(of_size(1));
  run_serially(p);
  EXPECT_GT(p.timed_part().seconds, 0);
  EXPECT_LT(p.timed_part().seconds, whole.elapsed().seconds);
}

TEST(checkers, lockstep_times_more_phases_of_what_is_faster) {
  lockstep_problem fast(of_size(1000));
  fast.expect_ns(0, 2);
  EXPECT_EQ(fast.phases(), 2u + 10'000u);
  lockstep_problem slow(of_size(1000));
  slow.expect_ns(0, 1e6);
  EXPECT_EQ(slow.phases(), 2u + 4u);
  EXPECT_EQ(slow.operations(), 4u * 1000u);
}

TEST(checkers, lockstep_takes_the_number_of_phases_from_the_command_line) {
  options o = of_size(10);
  o.phases = 7;
  lockstep_problem p(o);
  p.expect_ns(0, 2);
  EXPECT_EQ(p.phases(), 2u + 7u);
}

TEST(checkers, lockstep_reports_the_first_phase_of_a_million) {
  lockstep_problem p(of_shape(10, "million"));
  EXPECT_EQ(p.phases(), 3u);
  run_serially(p);
  p.verify();
  nlohmann::json line{{"rep", 1}, {"passes", 1}};
  p.report(line);
  EXPECT_GT(line.at("first_phase_seconds"), 0.0);
  line = {{"rep", 2}, {"passes", 1}};
  p.report(line);
  EXPECT_FALSE(line.contains("first_phase_seconds"));
}

TEST(checkers, lockstep_reports_what_waiting_tasks_hold) {
  lockstep_problem p(of_shape(2, "waiting"));
  run_serially(p);
  p.about_to_wait();
  EXPECT_FALSE(p.all_are_about_to_wait());
  p.about_to_wait();
  EXPECT_TRUE(p.all_are_about_to_wait());
  p.all_wait();
  nlohmann::json line{{"rep", 1}, {"passes", 1}};
  p.report(line);
  EXPECT_GE(line.at("waiting_threads"), 1);
  EXPECT_TRUE(line.contains("waiting_bytes"));
}

TEST(checkers, lockstep_computes_longer_for_a_longer_body) {
  options o = of_size(1);
  const auto shortest_pass = [](const options& with) {
    lockstep_problem p(with);
    double seconds = 1;
    for (int i = 0; i < 20; ++i) {
      run_serially(p);
      seconds = std::min(seconds, p.timed_part().seconds);
    }
    return seconds;
  };
  o.phases = 10;
  o.body_ns = 1000;
  const double one = shortest_pass(o);
  EXPECT_GT(one, 5 * 1e-6);
  o.body_ns = 100'000;
  EXPECT_GT(shortest_pass(o), 10 * one);
}

/// A spanning tree by the sequential search, then spoilt in one place.
class spanning_checker : public ::testing::Test {
protected:
  void SetUp() override {
    p_.reset();
    std::vector<vertex> to_visit{spanning_problem::k_root};
    while (!to_visit.empty()) {
      const vertex u = to_visit.back();
      to_visit.pop_back();
      for (const vertex v : p_.neighbours(u)) {
        if (p_.label_alone(v, u)) to_visit.push_back(v);
      }
    }
  }

  spanning_problem p_{of_size(1000)};
};

TEST_F(spanning_checker, accepts_a_spanning_tree) { p_.verify(); }

TEST_F(spanning_checker, misses_no_vertex) {
  p_.reset();
  EXPECT_THROW(p_.verify(), wrong_answer);
}

TEST_F(spanning_checker, wants_a_parent_that_is_a_neighbour) {
  p_.reset();
  for (vertex v = 0; v < 1000; ++v) p_.label(v, spanning_problem::k_root);
  EXPECT_THROW(p_.verify(), wrong_answer);
}

TEST_F(spanning_checker, wants_paths_that_end_at_the_root) {
  // Two neighbours far from the root become each other's parents; the rest is labelled as a search would.
  p_.reset();
  const vertex a = 500;
  const vertex b = p_.neighbours(a).front();
  ASSERT_NE(a, b);
  p_.label(a, b);
  p_.label(b, a);
  std::vector<vertex> to_visit{spanning_problem::k_root};
  while (!to_visit.empty()) {
    const vertex u = to_visit.back();
    to_visit.pop_back();
    for (const vertex v : p_.neighbours(u)) {
      if (p_.label_alone(v, u)) to_visit.push_back(v);
    }
  }
  EXPECT_THROW(p_.verify(), wrong_answer);
}

TEST(generator, gives_the_same_graph_for_the_same_seed) {
  const spanning_problem one(of_size(1000));
  const spanning_problem two(of_size(1000));
  std::uint64_t entries = 0;
  for (vertex v = 0; v < 1000; ++v) {
    EXPECT_TRUE(std::ranges::equal(one.neighbours(v), two.neighbours(v)));
    entries += one.neighbours(v).size();
  }
  EXPECT_EQ(entries, 2 * 1000 * spanning_problem::k_edges_per_vertex);
}

}  // namespace
}  // namespace bench
