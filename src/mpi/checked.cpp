// SPDX-License-Identifier: Apache-2.0
#include "mpi/checked.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tactus::detail {
namespace {

constexpr std::chrono::seconds k_at_most{5};
constexpr std::chrono::microseconds k_between_looks{200};

// Of other files the number of bytes means something else.
bool is_unread_pipe(int fd) noexcept {
  struct stat file{};
  int bytes = 0;
  return ::fstat(fd, &file) == 0 && S_ISFIFO(file.st_mode) && ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace

void check_mpi(int code, const char* call) noexcept {
  if (code == MPI_SUCCESS) [[likely]] {
    return;
  }
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  int rank = -1;
  MPI_Error_string(code, text, &length);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "tactus: rank %d: %s failed: %.*s; the job ends\n", rank, call, length, text);
  end_job(k_status_of_failure);
}

// Launchers read what their processes write through pipes, and hear of the end in another way. MPICH's ends as soon as it hears, and what
// it has not read is lost: the reason, as a rule. What it has read it passes on first.
void wait_until_read() noexcept {
  constexpr std::array k_read_by_it{STDOUT_FILENO, STDERR_FILENO};
  const auto begin = std::chrono::steady_clock::now();
  while (std::any_of(k_read_by_it.begin(), k_read_by_it.end(), is_unread_pipe) &&
         std::chrono::steady_clock::now() - begin < k_at_most) {
    std::this_thread::sleep_for(k_between_looks);
  }
}

void end_job(int status) noexcept {
  wait_until_read();
  MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace tactus::detail
