// SPDX-License-Identifier: Apache-2.0
// What becomes of a body in a process of its own: how it ended and what it said. Before the parent has threads.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include <sys/wait.h>
#include <unistd.h>

namespace support {

struct ended_process {
  int status = 0;
  std::string said;  // to stderr

  [[nodiscard]] bool exited_with(int code) const { return WIFEXITED(status) && WEXITSTATUS(status) == code; }
  [[nodiscard]] bool aborted() const { return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT; }
  [[nodiscard]] std::string text() const {
    const std::string how = WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                                              : "signal " + std::to_string(WTERMSIG(status));
    return how + ", said: " + said;
  }
};

inline constexpr int k_right = 0;
inline constexpr int k_wrong = 1;
inline constexpr int k_threw = 2;

/// Runs body() in a child, which exits with what it returns, or with k_threw and the text of what it throws. One that
/// takes longer than `seconds` ends by SIGALRM.
template <class Body>
ended_process in_a_process(unsigned seconds, Body body) {
  int ends[2];
  if (::pipe(ends) != 0) {
    ADD_FAILURE() << "no pipe";
    return {};
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::alarm(seconds);
    int code = k_threw;
    try {
      code = body();
    } catch (const std::exception& e) {
      const std::string_view what = e.what();
      [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, what.data(), what.size());
    }
    ::_exit(code);
  }
  ::close(ends[1]);
  ended_process end;
  std::array<char, 4096> piece{};
  for (ssize_t n = 0; (n = ::read(ends[0], piece.data(), piece.size())) > 0;) {
    end.said.append(piece.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  ::waitpid(child, &end.status, 0);
  return end;
}

}  // namespace support
