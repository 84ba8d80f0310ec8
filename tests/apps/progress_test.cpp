// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"
#include "output.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>

namespace {

using apps::progress_stage;
using apps::progress_style;

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

// An estimate from samples goes up and down; what is shown does not, and is no end before the end.
TEST(progress, never_shows_less_than_before_nor_all_of_work_that_goes_on) {
  testing::internal::CaptureStderr();
  {
    std::atomic<int> asked = 0;
    const progress_stage stage(progress_style::lines, "long work", [&] {
      const int turn = asked++;
      asked.notify_all();
      return turn == 0 ? 0.5 : turn == 1 ? 0.25 : 1.0;
    });
    for (int seen = 0; seen < 3; seen = asked) {
      asked.wait(seen);
    }
  }
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_EQ(shown.find("about 25 %"), std::string::npos) << shown;
  EXPECT_NE(shown.find("about 50 %", shown.find("about 50 %") + 1), std::string::npos) << shown;
  EXPECT_NE(shown.find("about 99 %"), std::string::npos) << shown;
}

// On a disk that is full, or a terminal that has gone.
TEST(progress, does_not_end_work_whose_stderr_takes_nothing) {
  const int before = dup(STDERR_FILENO);
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_NE(full, -1);
  dup2(full, STDERR_FILENO);
  {
    std::atomic<int> asked = 0;
    const progress_stage stage(progress_style::lines, "long work", [&] {
      ++asked;
      asked.notify_all();
      return 0.25;
    });
    for (int seen = 0; seen < 2; seen = asked) {
      asked.wait(seen);  // the second line comes after the first could not be written
    }
    apps::complain("progress_test", "nobody hears this");
  }
  dup2(before, STDERR_FILENO);
  close(before);
  close(full);
}

TEST(progress, is_silent_when_stderr_is_no_terminal_and_nobody_asked) {
  testing::internal::CaptureStderr();  // into a file
  EXPECT_EQ(apps::progress_style_for_stderr(false), progress_style::silent);
  EXPECT_EQ(apps::progress_style_for_stderr(true), progress_style::lines);
  (void)testing::internal::GetCapturedStderr();
}

}  // namespace
