// SPDX-License-Identifier: Apache-2.0
#include <tactus/version.hpp>

#include <gtest/gtest.h>

#include <string>

#if TACTUS_VERSION < 100 || TACTUS_VERSION_MAJOR < 0
#error "the macros are numbers that the preprocessor can compare"
#endif

namespace {

TEST(version, is_told_as_a_number_and_as_a_text) {
  constexpr int k_major = TACTUS_VERSION / 10'000;
  constexpr int k_minor = TACTUS_VERSION / 100 % 100;
  constexpr int k_patch = TACTUS_VERSION % 100;
  EXPECT_EQ(k_major, TACTUS_VERSION_MAJOR);
  EXPECT_EQ(k_minor, TACTUS_VERSION_MINOR);
  EXPECT_EQ(k_patch, TACTUS_VERSION_PATCH);
  EXPECT_EQ(std::to_string(k_major) + '.' + std::to_string(k_minor) + '.' + std::to_string(k_patch),
            TACTUS_VERSION_STRING);
}

TEST(version, of_the_library_is_that_of_the_headers) { EXPECT_STREQ(tactus::version(), TACTUS_VERSION_STRING); }

}  // namespace
