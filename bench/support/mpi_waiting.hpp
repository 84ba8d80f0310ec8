// SPDX-License-Identifier: Apache-2.0
// How who waits does it in programs that are written by hand with MPI: in MPI's own calls, or, where these would keep a processor from
// the rank that is waited for, by tests between which others have their turn.
#pragma once

#include <cstdint>
#include <ctime>
#include <span>

#include <mpi.h>
#include <sched.h>

#include "support/mpi_ranks.hpp"
#include "support/program.hpp"

namespace bench {

class mpi_waiting {
public:
  /// As --wait says, or else by tests with more ranks than processors.
  explicit mpi_waiting(const options& o)
      : gives_way_(o.wait.empty() ? more_ranks_than_processors(ranks()) : o.wait != "calls"),
        naps_(o.wait.empty() ? k_mpich : o.wait == "naps") {}

  [[nodiscard]] bool gives_way() const { return gives_way_; }

  /// Between two tests.
  void let_others_go_on() const {
    constexpr std::uint64_t k_tests = 20;
    if (naps_ && ++turns_ % k_tests == 0) {
      const timespec shortest{0, 1};  // some 50 us, for the kernel lets timers be late
      ::nanosleep(&shortest, nullptr);
      return;
    }
    ::sched_yield();
  }

  void all(std::span<MPI_Request> requests, MPI_Status* statuses = MPI_STATUSES_IGNORE) const {
    const int n = static_cast<int>(requests.size());
    if (!gives_way_) {
      MPI_Waitall(n, requests.data(), statuses);
      return;
    }
    for (int done = 0;;) {
      MPI_Testall(n, requests.data(), &done, statuses);
      if (done != 0) return;
      let_others_go_on();
    }
  }

  void one(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE) const {
    int done = 0;
    while (gives_way_) {
      MPI_Test(&request, &done, status);
      if (done != 0) return;
      let_others_go_on();
    }
    MPI_Wait(&request, status);
  }

  void send(const void* bytes, int n, int to, int tag) const {
    if (!gives_way_) {
      MPI_Send(bytes, n, MPI_BYTE, to, tag, MPI_COMM_WORLD);
      return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(bytes, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
    one(request);
  }
  void receive(void* bytes, int n, int from, int tag) const {
    if (!gives_way_) {
      MPI_Recv(bytes, n, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(bytes, n, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
    one(request);
  }

  /// By all ranks.
  void meet() const {
    if (!gives_way_) {
      MPI_Barrier(MPI_COMM_WORLD);
      return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    one(request);
  }
  /// from: MPI_IN_PLACE, or others than `sums`.
  void add_up(const void* from, double* sums, int n) const {
    if (!gives_way_) {
      MPI_Allreduce(from, sums, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(from, sums, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    one(request);
  }

private:
  // MPICH's launcher makes a session of each rank, and where Linux schedules by sessions sched_yield() gives way within one only.
#ifdef OPEN_MPI
  static constexpr bool k_mpich = false;
#else
  static constexpr bool k_mpich = true;
#endif

  static int ranks() {
    int n = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
  }

  bool gives_way_;
  bool naps_;
  mutable std::uint64_t turns_ = 0;
};

}  // namespace bench
