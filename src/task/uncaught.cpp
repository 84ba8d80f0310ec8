// SPDX-License-Identifier: Apache-2.0
// How a program ends by an error of the library that nobody has caught.

#include <tactus/base/error.hpp>
#include <tactus/task/run.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <string_view>

#include <time.h>  // NOLINT(modernize-deprecated-headers): nanosleep is POSIX
#include <unistd.h>

namespace tactus::detail {
namespace {

// The first two as <sysexits.h> has them, for bad usage and for an error inside of the program.
constexpr int k_bad_configuration = 64;
constexpr int k_deadlock = 70;
constexpr int k_any_other = 1;

constexpr int k_tries = 100;
constexpr timespec k_between_tries{0, 1'000'000};

std::terminate_handler g_before = nullptr;  // set once, before ours is

// A printing thread lets stdout go in a moment. One that keeps it may do so for ever: it waits for a reader, or for the
// very task that threw.
bool lock_stdout() noexcept {
  for (int i = 0; i < k_tries; ++i) {
    if (::ftrylockfile(stdout) == 0) {
      return true;
    }
    ::nanosleep(&k_between_tries, nullptr);
  }
  return false;
}

// Leaves stdout locked: what other threads print from now on would come after the last words.
void write_out_stdout() noexcept {
  if (!lock_stdout()) {
    return;
  }
  try {
    std::cout.flush();
    // NOLINTNEXTLINE(bugprone-empty-catch): the program may have asked for exceptions; the error to be told is another
  } catch (...) {
  }
  std::fflush(stdout);
}

void write_to_stderr(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      return;  // nowhere left to tell it; the status still does
    }
  }
}

[[noreturn]] void end_process(int status, std::string_view text) noexcept {
  write_out_stdout();
  if (!text.starts_with("tactus:")) {
    write_to_stderr("tactus: ");
  }
  write_to_stderr(text);
  write_to_stderr("\n");
  ::_exit(status);
}

// There may be an exception that nobody can look at: what is compiled by g++ before 14 does not catch what leaves a
// noexcept function that has objects to destroy. That goes to the handler before, like any end without an exception.
[[noreturn]] void on_terminate() {
  if (std::current_exception() != nullptr) {
    try {
      throw;
    } catch (const config_error& e) {
      end_process(k_bad_configuration, e.what());
    } catch (const deadlock_error& e) {
      end_process(k_deadlock, e.what());
    } catch (const error& e) {
      end_process(k_any_other, e.what());
      // NOLINTNEXTLINE(bugprone-empty-catch): not ours
    } catch (...) {
    }
  }
  g_before();
  std::abort();
}

}  // namespace

void answer_for_uncaught_errors() noexcept {
  static std::once_flag once;
  std::call_once(once, [] {
    g_before = std::get_terminate();
    std::set_terminate(on_terminate);
  });
}

}  // namespace tactus::detail
