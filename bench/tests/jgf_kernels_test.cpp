// SPDX-License-Identifier: Apache-2.0
// The kernels of the Java Grande Forum give the official answers in any number of parts, and their checkers see what is
// left out.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "kernels/jgf_crypt/idea.hpp"
#include "kernels/jgf_crypt/jgf_crypt.hpp"
#include "kernels/jgf_lufact/jgf_lufact.hpp"
#include "kernels/jgf_series/jgf_series.hpp"
#include "kernels/jgf_sor/jgf_sor.hpp"
#include "kernels/jgf_sparse/jgf_sparse.hpp"
#include "support/java_random.hpp"
#include "support/tactus_forked_steps.hpp"
#include "tests/parted_steps.hpp"

namespace bench {
namespace {

TEST(java_random, draws_what_java_draws) {
  java_random integers(42);
  EXPECT_EQ(integers.next_int(), -1'170'105'035);
  EXPECT_EQ(integers.next_int(), 234'785'527);
  java_random both(10'101'010);
  EXPECT_EQ(both.next_int(), 1'146'714'851);
  EXPECT_EQ(both.next_double(), 0.8868648045732045);
  EXPECT_EQ(both.next_int(), -1'109'024'636);
  EXPECT_EQ(both.next_double(), 0.6464648943280011);
  java_random normal(42);
  EXPECT_NEAR(normal.next_gaussian(), 1.1419053154730547, 1e-15);
  EXPECT_NEAR(normal.next_gaussian(), 0.9194079489827879, 1e-15);
}

using idea_block = std::array<std::uint8_t, idea::k_block_bytes>;

/// Not the suite's: the key turned to the left, its first word being the highest.
idea::subkeys published_keys(const idea::user_key& key) {
  idea::subkeys keys{};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t group = i - i % 8;
    const auto before = [&](std::size_t ahead) { return keys[group - 8 + (i + ahead) % 8]; };
    keys[i] = i < 8 ? key[i] : idea::low_word(before(1) << 9 | before(2) >> 7);
  }
  return keys;
}

/// A published example in which no word is ever 0.
TEST(idea, enciphers_a_published_example) {
  const idea_block plain{0x29, 0xF1, 0x60, 0xA6, 0xF6, 0x1E, 0x47, 0x2A};
  const idea_block right{0x02, 0xEA, 0x14, 0x47, 0x5C, 0xAD, 0x84, 0x4D};
  const idea::subkeys keys = published_keys({0x2BD6, 0x459F, 0x82C5, 0xB300, 0x952C, 0x4910, 0x4881, 0xFF48});
  idea_block cipher{};
  idea::apply(keys, plain.data(), cipher.data());
  EXPECT_EQ(cipher, right);
  idea_block back{};
  idea::apply(idea::decryption_keys(keys), cipher.data(), back.data());
  EXPECT_EQ(back, plain);
}

TEST(idea, turns_the_key_by_25_bits_for_each_eight_words) {
  const idea::subkeys keys = idea::encryption_keys({0x2BD6, 0x459F, 0x82C5, 0xB300, 0x952C, 0x4910, 0x4881, 0xFF48});
  const auto bit = [&keys](std::size_t group, std::size_t i) { return keys[8 * group + i / 16] >> i % 16 & 1; };
  for (std::size_t i = 0; i < 16 * (keys.size() - 8); ++i) {
    EXPECT_EQ(bit(1 + i / 128, i % 128), bit(i / 128, (i % 128 + 25) % 128)) << i;
  }
}

TEST(idea, inverts_every_word_but_zero) {
  for (std::uint32_t x = 1; x < 0x10000; ++x) ASSERT_EQ(idea::product(x, idea::inverse(x)), 1u) << x;
  EXPECT_EQ(idea::inverse(0), 0u);
}

/// What a test takes of a problem: the smallest class of the suite, or less where that takes long.
template <class Problem>
constexpr const char* k_small_class = "A";
template <>
constexpr const char* k_small_class<jgf_series_problem> = "T";

template <class Problem>
class jgf_kernels : public ::testing::Test {
protected:
  Problem problem_{of_class(k_small_class<Problem>)};
};

using all_problems =
    ::testing::Types<jgf_series_problem, jgf_lufact_problem, jgf_sor_problem, jgf_crypt_problem, jgf_sparse_problem>;
TYPED_TEST_SUITE(jgf_kernels, all_problems);

TYPED_TEST(jgf_kernels, accept_the_serial_answer) {
  this->problem_.reset();
  serial_steps steps;
  this->problem_.solve(steps);
  this->problem_.verify();
}

TYPED_TEST(jgf_kernels, accept_any_number_of_parts) {
  for (const std::size_t parts : {2u, 7u, 600u}) {
    this->problem_.reset();
    parted_steps steps(parts);
    this->problem_.solve(steps);
    this->problem_.verify();
  }
}

TYPED_TEST(jgf_kernels, want_a_run) {
  this->problem_.reset();
  EXPECT_THROW(this->problem_.verify(), wrong_answer);
}

TYPED_TEST(jgf_kernels, are_right_in_forked_steps_under_every_policy) {
  for (const char* policy : {"work_first", "help_first", "adaptive", "work_sharing"}) {
    for (const int threads : {1, 2, 4}) {
      options o;
      o.threads = threads;
      o.tasks = 5;
      o.policy = policy;
      this->problem_.reset();
      tactus_forked_solver<TypeParam> solver(o, this->problem_);
      solver.pass();
      this->problem_.verify();
    }
  }
}

TYPED_TEST(jgf_kernels, know_no_other_class) { EXPECT_THROW(TypeParam(of_class("W")), std::invalid_argument); }

template <class Problem>
void expect_seen(fault what, std::initializer_list<std::uint64_t> in_steps) {
  Problem p(of_class(k_small_class<Problem>));
  for (const std::uint64_t step : in_steps) EXPECT_TRUE(is_seen(p, what, step)) << step;
  EXPECT_FALSE(is_seen(p, fault::none, 0));
}

TEST(jgf_series, sees_a_pair_or_everything_left_out) {
  expect_seen<jgf_series_problem>(fault::index_left_out, {1});
  expect_seen<jgf_series_problem>(fault::step_left_out, {1});
}

/// Steps are in turn the choice of a pivot and an elimination.
TEST(jgf_lufact, sees_a_column_left_out_of_an_elimination) {
  expect_seen<jgf_lufact_problem>(fault::index_left_out, {2, 4, 500, 996, 998});
}

TEST(jgf_lufact, sees_a_pivot_or_the_substitution_left_out) {
  expect_seen<jgf_lufact_problem>(fault::step_left_out, {1, 2, 501, 502, 997, 999});
}

/// Two for each of 100 iterations.
TEST(jgf_sor, sees_a_row_or_a_colour_left_out) {
  expect_seen<jgf_sor_problem>(fault::index_left_out, {1, 2, 101, 200});
  expect_seen<jgf_sor_problem>(fault::step_left_out, {1, 2, 101, 200});
}

TEST(jgf_crypt, sees_a_block_or_a_half_left_out) {
  expect_seen<jgf_crypt_problem>(fault::index_left_out, {1, 2});
  expect_seen<jgf_crypt_problem>(fault::step_left_out, {1, 2});
}

/// One for each of 200 iterations. The last row has elements.
TEST(jgf_sparse, sees_a_row_or_an_iteration_left_out) {
  expect_seen<jgf_sparse_problem>(fault::index_left_out, {1, 100, 200});
  expect_seen<jgf_sparse_problem>(fault::step_left_out, {1, 100, 200});
}

template <class Problem>
void expect_official_answers() {
  for (const char* name : {"B", "C"}) {
    Problem p(of_class(name));
    EXPECT_FALSE(is_seen(p, fault::none, 0)) << name;
  }
}

TEST(jgf_lufact, accepts_the_larger_classes) { expect_official_answers<jgf_lufact_problem>(); }
TEST(jgf_sor, compares_every_point_of_a_grid_of_its_own) {
  options o;
  o.size = 34;
  jgf_sor_problem p(o);
  p.reset();
  EXPECT_THROW(p.verify(), wrong_answer);
  parted_steps steps(5);
  p.solve(steps);
  p.verify();
  EXPECT_TRUE(is_seen(p, fault::index_left_out, 200));
  EXPECT_TRUE(is_seen(p, fault::step_left_out, 1));
  o.size = 2;
  EXPECT_THROW(jgf_sor_problem{o}, std::invalid_argument);
}

TEST(jgf_sor, accepts_the_larger_classes) { expect_official_answers<jgf_sor_problem>(); }
TEST(jgf_sparse, accepts_the_larger_classes) { expect_official_answers<jgf_sparse_problem>(); }

/// Its matrix has rank 1,024 only, so that there is no solution to look at.
TEST(jgf_lufact, sees_a_column_left_out_where_there_is_no_solution) {
  jgf_lufact_problem p(of_class("C"));
  EXPECT_TRUE(is_seen(p, fault::index_left_out, 1000));
}

}  // namespace
}  // namespace bench
