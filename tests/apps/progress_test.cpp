// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace {

using spanning::progress_stage;
using spanning::progress_style;

TEST(progress, shows_nothing_of_short_work) {
  testing::internal::CaptureStderr();
  {
    progress_stage stage(progress_style::lines, "short work", 10);
    stage.done(10);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// The stage's thread asks only when it shows a line; the work here ends when it has asked.
TEST(progress, shows_how_far_longer_work_is) {
  testing::internal::CaptureStderr();
  {
    std::atomic<int> asked = 0;
    const progress_stage stage(progress_style::lines, "long work", [&] {
      ++asked;
      asked.notify_all();
      return 0.25;
    });
    asked.wait(0);
  }
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_NE(shown.find("long work: about 25 % ("), std::string::npos) << shown;
  EXPECT_NE(shown.find("long work: done after "), std::string::npos) << shown;
}

TEST(progress, is_silent_when_stderr_is_no_terminal_and_nobody_asked) {
  testing::internal::CaptureStderr();  // into a file
  EXPECT_EQ(spanning::progress_style_for_stderr(false), progress_style::silent);
  EXPECT_EQ(spanning::progress_style_for_stderr(true), progress_style::lines);
  (void)testing::internal::GetCapturedStderr();
}

}  // namespace
