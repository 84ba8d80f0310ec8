// SPDX-License-Identifier: Apache-2.0
// Assertions that are on. assert_off_test.cpp has those that are off; both are one program.
#undef TACTUS_CHECKED
#define TACTUS_CHECKED 1
#include <tactus/base/impl/assert.hpp>

#include <gtest/gtest.h>

namespace {

TEST(assertion, that_holds_does_nothing_and_evaluates_once) {
  int evaluated = 0;
  TACTUS_ASSERT(++evaluated == 1, "the condition is evaluated");
  TACTUS_ALWAYS_ASSERT(++evaluated == 2, "the condition is evaluated");
  EXPECT_EQ(evaluated, 2);
}

TEST(assertion, that_fails_prints_place_sentence_and_condition) {
  const int tasks = 3;
  EXPECT_DEATH(TACTUS_ASSERT(tasks == 4, "four tasks were spawned"),
               "assert_test\\.cpp:[0-9]+: four tasks were spawned \\(tasks == 4\\)");
  EXPECT_DEATH(TACTUS_ALWAYS_ASSERT(tasks == 4, "four tasks were spawned"),
               "assert_test\\.cpp:[0-9]+: four tasks were spawned \\(tasks == 4\\)");
}

}  // namespace
