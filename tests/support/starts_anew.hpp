// SPDX-License-Identifier: Apache-2.0
// Death tests that start their program anew, so that the dying process has no threads of other tests.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace support {

/// Whether this program can be started at all: one of another machine runs by an emulator that the kernel need not know.
inline bool can_start_anew() {
  static const bool can = [] {
    constexpr const char* k_known = "SUPPORT_STARTS_ANEW";  // to those that are started
    if (std::getenv(k_known) != nullptr) return true;
    const pid_t child = ::fork();
    if (child == 0) {
      const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      ::dup2(nowhere, STDOUT_FILENO);
      std::array<char, 5> name{"self"};
      std::array<char, 21> list{"--gtest_list_tests=1"};
      char* const arguments[] = {name.data(), list.data(), nullptr};
      ::execv("/proc/self/exe", arguments);
      ::_exit(1);
    }
    int status = 1;
    const bool started = child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
    if (started) ::setenv(k_known, "1", 1);
    return started;
  }();
  return can;
}

}  // namespace support

/// At the begin of such a test, or of the SetUp of its fixture.
#define SUPPORT_START_ANEW()                                                               \
  if (!support::can_start_anew()) {                                                        \
    GTEST_SKIP() << "this program runs by an emulator that cannot start it a second time"; \
  }                                                                                        \
  GTEST_FLAG_SET(death_test_style, "threadsafe")
