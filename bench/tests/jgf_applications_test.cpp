// SPDX-License-Identifier: Apache-2.0
// The checkers of NPB's MG and of the Java Grande Forum's applications accept the official answers and no others, and the
// programs give those however their steps are divided and whatever runs them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/jgf_moldyn/jgf_moldyn.hpp"
#include "kernels/jgf_montecarlo/jgf_montecarlo.hpp"
#include "kernels/jgf_raytracer/jgf_raytracer.hpp"
#include "kernels/nas_mg/nas_mg.hpp"
#include "support/tactus_forked_steps.hpp"
#include "tests/parted_steps.hpp"

namespace bench {
namespace {

template <class Problem>
void is_right_in_parts(Problem& p, std::uint64_t steps_of_a_run) {
  for (const std::size_t parts : {1u, 3u, 50u}) {
    p.reset();
    parted_steps steps(parts);
    p.solve(steps);
    EXPECT_NO_THROW(p.verify()) << parts;
    EXPECT_EQ(steps.taken(), steps_of_a_run);
  }
}

/// With as many parts as workers, and more; under each policy.
template <class Problem>
void is_right_on_tactus(Problem& p) {
  for (const char* policy : {"adaptive", "work_first", "help_first", "work_sharing"}) {
    for (const int workers : {1, 2, 4}) {
      options o;
      o.policy = policy;
      o.threads = workers;
      o.tasks = workers == 2 ? 7 : 0;
      tactus_forked_solver<Problem> tactus(o, p);
      p.reset();
      tactus.pass();
      EXPECT_NO_THROW(p.verify()) << policy << ", " << workers << " workers";
    }
  }
}

template <class Problem>
void is_wrong_without_a_run(Problem& p) {
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
}

/// Of the first step and four cycles of 4 + 1 + 3 * 4 steps and a residual each, and a sum.
constexpr std::uint64_t k_steps_of_nas_mg_s = 1 + 4 * (4 + 1 + 3 * 4 + 1) + 1;

TEST(nas_mg, has_the_official_answers) {
  for (const char* name : {"S", "W"}) {
    nas_mg_problem p(of_class(name));
    p.reset();
    serial_steps steps;
    p.solve(steps);
    EXPECT_NO_THROW(p.verify()) << name;
    EXPECT_EQ(p.operations(), 4u * p.size() * p.size() * p.size());
  }
}

TEST(nas_mg, is_right_however_divided) {
  nas_mg_problem p(of_class("S"));
  is_right_in_parts(p, k_steps_of_nas_mg_s);
}

TEST(nas_mg, is_right_on_tactus) {
  nas_mg_problem p(of_class("S"));
  is_right_on_tactus(p);
}

TEST(nas_mg, wants_a_run) {
  nas_mg_problem p(of_class("S"));
  is_wrong_without_a_run(p);
}

TEST(nas_mg, sees_a_plane_left_out_of_any_step) {
  nas_mg_problem p(of_class("S"));
  for (std::uint64_t step = 1; step <= k_steps_of_nas_mg_s; ++step) {
    EXPECT_TRUE(is_seen(p, fault::index_left_out, step)) << step;
  }
}

TEST(nas_mg, sees_what_a_sum_lacks) {
  nas_mg_problem p(of_class("S"));
  EXPECT_TRUE(is_seen(p, fault::part_lost, k_steps_of_nas_mg_s));
}

TEST(nas_mg, knows_no_other_class) { EXPECT_THROW(nas_mg_problem(of_class("B")), std::invalid_argument); }

/// Three in each move, and once the velocities are scaled.
constexpr std::uint64_t k_steps_of_jgf_moldyn = 3 * jgf_moldyn_problem::k_moves + 1;

TEST(jgf_moldyn, is_right_however_divided) {
  jgf_moldyn_problem p(of_class("A"));
  EXPECT_EQ(p.size(), 2048u);
  EXPECT_EQ(p.operations(), 50u * 2048u * 2047u / 2);
  is_right_in_parts(p, k_steps_of_jgf_moldyn);
}

TEST(jgf_moldyn, is_right_on_tactus) {
  jgf_moldyn_problem p(of_class("A"));
  is_right_on_tactus(p);
}

TEST(jgf_moldyn, wants_a_run) {
  jgf_moldyn_problem p(of_class("A"));
  is_wrong_without_a_run(p);
}

/// A particle that is not moved, a block whose pairs are not looked at, a particle whose velocity stays.
TEST(jgf_moldyn, sees_an_index_left_out_of_any_step) {
  jgf_moldyn_problem p(of_class("A"));
  for (const std::uint64_t step : {1u, 2u, 3u, 30u, 31u, 100u, 101u, 102u, 149u, 150u, 151u}) {
    EXPECT_TRUE(is_seen(p, fault::index_left_out, step)) << step;
  }
}

TEST(jgf_moldyn, sees_what_a_sum_lacks) {
  jgf_moldyn_problem p(of_class("A"));
  EXPECT_TRUE(is_seen(p, fault::part_lost, 30));  // by which velocities are scaled
  EXPECT_TRUE(is_seen(p, fault::part_lost, k_steps_of_jgf_moldyn));
}

TEST(jgf_moldyn, knows_no_other_class) { EXPECT_THROW(jgf_moldyn_problem(of_class("C")), std::invalid_argument); }

TEST(jgf_raytracer, is_right_on_tactus) {
  jgf_raytracer_problem p(of_class("A"));
  EXPECT_EQ(p.operations(), 150u * 150u);
  is_right_on_tactus(p);
}

TEST(jgf_raytracer, wants_a_run) {
  jgf_raytracer_problem p(of_class("A"));
  is_wrong_without_a_run(p);
}

/// What nobody draws is brighter than any colour.
TEST(jgf_raytracer, sees_a_row_left_out) {
  jgf_raytracer_problem p(of_class("A"));
  EXPECT_FALSE(is_seen(p, fault::none, 0));
  EXPECT_TRUE(is_seen(p, fault::index_left_out, 1));
}

TEST(jgf_raytracer, knows_no_other_class) { EXPECT_THROW(jgf_raytracer_problem(of_class("C")), std::invalid_argument); }

TEST(jgf_montecarlo, is_right_on_tactus) {
  jgf_montecarlo_problem p(of_class("A"));
  EXPECT_EQ(p.operations(), 10'000u);
  is_right_on_tactus(p);
}

TEST(jgf_montecarlo, wants_a_run) {
  jgf_montecarlo_problem p(of_class("A"));
  is_wrong_without_a_run(p);
}

TEST(jgf_montecarlo, sees_a_path_left_out_and_what_a_sum_lacks) {
  jgf_montecarlo_problem p(of_class("A"));
  EXPECT_FALSE(is_seen(p, fault::none, 0));
  EXPECT_TRUE(is_seen(p, fault::index_left_out, 1));
  EXPECT_TRUE(is_seen(p, fault::index_left_out, 2));
  EXPECT_TRUE(is_seen(p, fault::part_lost, 2));
}

TEST(jgf_montecarlo, knows_no_other_class) {
  EXPECT_THROW(jgf_montecarlo_problem(of_class("C")), std::invalid_argument);
}

}  // namespace
}  // namespace bench
