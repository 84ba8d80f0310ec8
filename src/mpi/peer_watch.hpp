// SPDX-License-Identifier: Apache-2.0
// Whether the process before this one, in the ring of all, still looks at its messages. docs/protocols/processes.md, "A process that is silent".
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include <mpi.h>

namespace tactus::detail {

/// Tells the next process from time to time that this one is there, and listens to the one before. By who talks to MPI.
class peer_watch {
public:
  /// For a launcher that does not notice: after `limit` without a word the job ends. `comm`: of more than one process.
  peer_watch(MPI_Comm comm, std::chrono::nanoseconds limit);
  peer_watch(const peer_watch&) = delete;
  peer_watch& operator=(const peer_watch&) = delete;

  /// Begins to listen. Once.
  void start() noexcept;

  /// A run begins here. Nobody is missed in it before he has been heard.
  void begin_run() noexcept;

  /// Often, while a run is active: tells and listens where it is time. Ends the job if it is too late.
  void look() noexcept;

  /// This process leaves the run, and is not to be missed.
  void end_run() noexcept;

  /// Says the very last word. All do so, after their last runs.
  void end() noexcept;

  /// Whether the one before has said his, and so nothing is under way any more.
  [[nodiscard]] bool has_ended() noexcept;

  /// Listens no more, if it did not end.
  void cancel() noexcept;

private:
  using clock = std::chrono::steady_clock;

  enum class about : std::uint64_t { here, leaves, ends };  // the last word of a run, and of all
  using word = std::array<std::uint64_t, 2>;                // what it is about, and the run

  void tell(about what) noexcept;
  void listen(clock::time_point now) noexcept;
  [[noreturn]] void miss() const noexcept;

  const MPI_Comm comm_;
  const std::chrono::nanoseconds limit_;
  const std::chrono::nanoseconds interval_;
  int next_ = 0;
  int before_ = 0;
  int rank_ = 0;
  std::uint64_t run_ = 0;
  bool is_there_ = false;   // the one before has been heard in this run, and has not left it
  bool has_ended_ = false;  // it has said its very last word
  clock::time_point heard_;
  clock::time_point looked_;
  clock::time_point told_;
  word said_{};
  word came_{};
  MPI_Request saying_ = MPI_REQUEST_NULL;
  MPI_Request hearing_ = MPI_REQUEST_NULL;
};

}  // namespace tactus::detail
