// SPDX-License-Identifier: Apache-2.0
// Assertions as a release build sees them.
#undef TACTUS_CHECKED
#undef NDEBUG
#define NDEBUG 1  // NOLINT(readability-identifier-naming): the name is the C library's
#include <tactus/base/impl/assert.hpp>

#include <gtest/gtest.h>

namespace {

TEST(assertion, that_is_off_is_compiled_and_never_evaluated) {
  int evaluated = 0;
  TACTUS_ASSERT(++evaluated == 7, "never looked at");
  EXPECT_EQ(evaluated, 0);
}

TEST(assertion, that_is_always_on_is_on_in_release_builds) {
  EXPECT_DEATH(TACTUS_ALWAYS_ASSERT(1 + 1 == 3, "sums are right"), "sums are right");
}

}  // namespace
