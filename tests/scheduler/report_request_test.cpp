// SPDX-License-Identifier: Apache-2.0
// A report that another process of the job asks for: by a thread of the library, which takes no signal that is the program's.
#include <tactus/tactus.hpp>

#include "scheduler/hang.hpp"
#include "support/errors_caught.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <ctime>

#include <unistd.h>

namespace {
namespace ts = tactus;

// The number of the signal that comes to who waits for SIGUSR1 as sigwait does, after a report.
int signal_waited_for() {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &only, nullptr);
  ts::run(support::config_of(2), [] { tactus::detail::ask_for_report(); });
  ::kill(::getpid(), SIGUSR1);
  const timespec long_enough{.tv_sec = 30, .tv_nsec = 0};
  return ::sigtimedwait(&only, nullptr, &long_enough);
}

TEST(report_request_test, leaves_the_signal_to_a_program_that_has_blocked_it) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(signal_waited_for()), testing::ExitedWithCode(SIGUSR1), "");
}

TEST(report_request_test, is_answered_while_a_task_goes_on) {
  const support::errors_caught errors;
  ts::run(support::config_of(2), [&errors] {
    tactus::detail::ask_for_report();
    EXPECT_TRUE(errors.wait_for("what 2 workers do now", [] {})) << errors.text();
  });
}

}  // namespace
