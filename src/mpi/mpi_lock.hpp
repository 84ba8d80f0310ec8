// SPDX-License-Identifier: Apache-2.0
// Under which the library calls MPI: one thread of the process at a time, whatever runtime it is of. docs/protocols/processes.md, "Engine".
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>

#include <mutex>

#include <pthread.h>
#include <sched.h>

namespace tactus::detail {

/// Of the process. Nobody of the library waits for it while a run is active: who finds it taken comes again.
class mpi_lock {
public:
  [[nodiscard]] bool try_take() noexcept {
    // A look, before the line is taken away from its holder. seq_cst: after what was put where the holder looks when it has given the lock
    // back: one of the two sees the other
    return !taken_.load(memory_order_seq_cst) &&
           !taken_.exchange(true, memory_order_acq_rel);  // acq_rel: what the last one did, before what follows
  }
  void take() noexcept {
    while (!try_take()) {
      ::sched_yield();
    }
  }
  void give_back() noexcept {
    taken_.store(false, memory_order_seq_cst);  // before the next look at what is to be sent: mpi_engine::talk()
  }

private:
  alignas(k_cache_line) atomic<bool> taken_{false};
};

inline constinit mpi_lock g_mpi_lock;

/// Holds it for a few calls.
class mpi_locked {
public:
  mpi_locked() noexcept { g_mpi_lock.take(); }
  explicit mpi_locked(std::adopt_lock_t /*unused*/) noexcept {}
  ~mpi_locked() { g_mpi_lock.give_back(); }
  mpi_locked(const mpi_locked&) = delete;
  mpi_locked& operator=(const mpi_locked&) = delete;
};

/// Whether MPI is initialised and not finalised.
[[nodiscard]] bool mpi_is_there() noexcept;

/// Whether the calling thread may call MPI under that lock: any, or, below MPI_THREAD_SERIALIZED, the one that has initialised it. While
/// MPI is there.
[[nodiscard]] bool may_call_mpi() noexcept;

/// Whether that is one thread only.
[[nodiscard]] bool one_thread_calls_mpi() noexcept;

/// Whether the calling thread is inside of mpi::call, and so has that lock already.
[[nodiscard]] bool is_in_mpi_call() noexcept;

}  // namespace tactus::detail
