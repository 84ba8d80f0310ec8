// SPDX-License-Identifier: Apache-2.0
// Waits for other ranks, which say so when they take long. docs/protocols/processes.md.
#pragma once

#include "mpi/checked.hpp"
#include "mpi/mpi_lock.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include <mpi.h>

namespace tactus::detail {

inline constexpr std::chrono::seconds k_until_told_of_waiting{10};

inline void tell_of_waiting_for(const char* whom) noexcept { std::fprintf(stderr, "tactus: waiting for %s\n", whom); }

/// Of one wait.
class patience {
public:
  explicit patience(const char* whom) noexcept : whom_(whom) {}

  /// Until `request` is done. Nobody is kept from calling MPI meanwhile.
  void wait_for(MPI_Request& request) {
    until([&request] {
      int done = 0;
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    });
  }

  /// Until it_holds(), which calls MPI.
  template <class F>
  void until(F it_holds) {
    const auto is_so = [&it_holds] {
      const mpi_locked lock;
      return it_holds();
    };
    while (!is_so()) {
      pause();
    }
  }

  /// Between two looks, without the lock.
  void pause() noexcept {
    if (looks_ < k_quick_looks) {
      ++looks_;
      std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds{50});
    if (!told_ && std::chrono::steady_clock::now() - begin_ > k_until_told_of_waiting) {
      told_ = true;
      tell_of_waiting_for(whom_);
    }
  }

private:
  static constexpr int k_quick_looks = 1000;  // who answers at once is not slept over: that is about a millisecond

  const char* const whom_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  int looks_ = 0;
  bool told_ = false;
};

}  // namespace tactus::detail
