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
