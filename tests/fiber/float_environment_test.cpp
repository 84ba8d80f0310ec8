// SPDX-License-Identifier: Apache-2.0
// The floating-point environment of a thread, read and written.
#include <tactus/fiber/impl/float_environment.hpp>

#include "support/floats.hpp"

#include <gtest/gtest.h>

#include <cfenv>

namespace d = tactus::detail;

namespace {

class float_environment_test : public testing::Test {
protected:
  const support::floats_restored restored_;
};

TEST_F(float_environment_test, is_of_the_thread_until_that_rounds_another_way) {
  const d::float_environment before = d::float_environment::of_thread();
  EXPECT_TRUE(before.is_of_thread());
  std::fesetround(FE_UPWARD);
  EXPECT_FALSE(before.is_of_thread());
}

TEST_F(float_environment_test, is_the_same_whatever_flags_are_raised) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const d::float_environment before = d::float_environment::of_thread();
  std::feraiseexcept(FE_INEXACT);
  EXPECT_TRUE(before.is_of_thread());
}

TEST_F(float_environment_test, takes_the_threads_rounding_with_it) {
  std::fesetround(FE_DOWNWARD);
  const d::float_environment down = d::float_environment::of_thread();
  std::fesetround(FE_UPWARD);
  down.enter();
  EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  EXPECT_EQ(support::rounded(), support::rounding::down);
}

TEST_F(float_environment_test, leaves_the_flags_that_are_raised) {
  const d::float_environment before = d::float_environment::of_thread();
  std::fesetround(FE_UPWARD);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_DIVBYZERO);
  before.enter();
  EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), FE_DIVBYZERO);
}

#if defined(__x86_64__) || defined(__aarch64__)

TEST_F(float_environment_test, knows_whether_the_smallest_numbers_are_flushed_to_zero) {
  const d::float_environment before = d::float_environment::of_thread();
  support::flush_to_zero();
  EXPECT_FALSE(before.is_of_thread());
  before.enter();
  EXPECT_FALSE(support::flushes_to_zero());
}

#endif
#if defined(__x86_64__)

TEST_F(float_environment_test, knows_the_precision_of_long_doubles) {
  const d::float_environment before = d::float_environment::of_thread();
  support::set_x87_control(support::x87_control() & ~0x300U);  // 24 bits
  EXPECT_FALSE(before.is_of_thread());
  before.enter();
  EXPECT_EQ(support::x87_control() & 0x300U, 0x300U);
}

TEST_F(float_environment_test, nothing_traps_for_what_was_raised_while_that_was_masked) {
  const d::float_environment usual = d::float_environment::of_thread();
  support::set_x87_control(support::x87_control() & ~0x04U);  // divisions by zero trap
  const d::float_environment strict = d::float_environment::of_thread();
  usual.enter();
  const volatile long double zero = 0;
  volatile long double one = 1;
  const volatile long double infinite = one / zero;
  strict.enter();
  one = one + one;
  usual.enter();
  EXPECT_EQ(one, 2);
  EXPECT_GT(infinite, 0);
}

#endif

TEST_F(float_environment_test, is_put_aside_and_comes_back) {
  const d::float_environment common = d::float_environment::of_thread();
  std::fesetround(FE_TOWARDZERO);
  {
    const d::own_floats_aside aside(common);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  }
  EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
}

}  // namespace
