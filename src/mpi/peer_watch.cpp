// SPDX-License-Identifier: Apache-2.0
#include "mpi/peer_watch.hpp"

#include "mpi/checked.hpp"

#include <cstdio>
#include <exception>

namespace tactus::detail {
namespace {

constexpr int k_watch = 4;  // a tag
constexpr int k_share = 4;  // so many words in the time after which one is missed

}  // namespace

peer_watch::peer_watch(MPI_Comm comm, std::chrono::nanoseconds limit)
    : comm_(comm), limit_(limit), interval_(limit / k_share) {
  int ranks = 1;
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &ranks), "MPI_Comm_size");
  next_ = (rank_ + 1) % ranks;
  before_ = (rank_ + ranks - 1) % ranks;
}

void peer_watch::start() noexcept {
  check_mpi(
      MPI_Recv_init(came_.data(), static_cast<int>(came_.size()), MPI_UINT64_T, before_, k_watch, comm_, &hearing_),
      "MPI_Recv_init");
  check_mpi(MPI_Start(&hearing_), "MPI_Start");
}

void peer_watch::begin_run() noexcept {
  ++run_;
  is_there_ = false;
  looked_ = clock::now();
  tell(about::here);
}

void peer_watch::look() noexcept {
  const clock::time_point now = clock::now();
  if (now - looked_ > interval_) {
    heard_ = now;  // this one has been silent itself: stopped, or its machine was
  }
  looked_ = now;
  listen(now);
  if (is_there_ && now - heard_ > limit_) {
    miss();
  }
  if (now - told_ >= interval_) {
    tell(about::here);
  }
}

void peer_watch::end_run() noexcept {
  is_there_ = false;
  tell(about::leaves);
}

void peer_watch::end() noexcept { tell(about::ends); }

bool peer_watch::has_ended() noexcept {
  listen(clock::now());
  if (has_ended_) {
    check_mpi(MPI_Wait(&saying_, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  return has_ended_;
}

void peer_watch::cancel() noexcept {
  if (hearing_ != MPI_REQUEST_NULL) {
    if (!has_ended_) {
      check_mpi(MPI_Cancel(&hearing_), "MPI_Cancel");
      check_mpi(MPI_Wait(&hearing_, MPI_STATUS_IGNORE), "MPI_Wait");
    }
    check_mpi(MPI_Request_free(&hearing_), "MPI_Request_free");
  }
}

// So short a message leaves at once, whether or not anybody receives it. If it should not, only one that has to be heard is waited for.
void peer_watch::tell(about what) noexcept {
  if (what == about::here) {
    int gone = 0;
    check_mpi(MPI_Test(&saying_, &gone, MPI_STATUS_IGNORE), "MPI_Test");
    if (gone == 0) {
      return;
    }
  } else {
    check_mpi(MPI_Wait(&saying_, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  told_ = clock::now();
  said_ = {static_cast<std::uint64_t>(what), run_};
  check_mpi(MPI_Isend(said_.data(), static_cast<int>(said_.size()), MPI_UINT64_T, next_, k_watch, comm_, &saying_),
            "MPI_Isend");
}

void peer_watch::listen(clock::time_point now) noexcept {
  while (!has_ended_) {
    int heard = 0;
    check_mpi(MPI_Test(&hearing_, &heard, MPI_STATUS_IGNORE), "MPI_Test");
    if (heard == 0) {
      return;
    }
    const auto [what, run] = came_;
    has_ended_ = what == static_cast<std::uint64_t>(about::ends);
    if (run == run_) {
      is_there_ = what == static_cast<std::uint64_t>(about::here);
    }
    heard_ = now;
    if (!has_ended_) {
      check_mpi(MPI_Start(&hearing_), "MPI_Start");
    }
  }
}

void peer_watch::miss() const noexcept {
  const std::chrono::duration<double> silent = looked_ - heard_;
  std::fprintf(stderr,
               "tactus: rank %d has heard nothing of rank %d for %.1f s (TACTUS_PEER_TIMEOUT); its process has died, "
               "is stopped, or "
               "cannot be reached; the job ends\n",
               rank_, before_, silent.count());
  end_job(k_status_of_failure);
  std::terminate();
}

}  // namespace tactus::detail
