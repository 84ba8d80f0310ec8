// SPDX-License-Identifier: Apache-2.0
// For programs that call MPI themselves, and are linked with tactus::mpi.
#pragma once

#include <tactus/base/impl/launch.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/task/run.hpp>

#include <concepts>
#include <cstring>
#include <type_traits>

#include <mpi.h>

namespace tactus {

namespace detail {

template <>
struct communicator_type<MPI_Comm> : std::true_type {
  static communicator erased(MPI_Comm processes) noexcept {
    static_assert(sizeof(MPI_Comm) <= sizeof(communicator));  // a pointer or a number
    communicator c{0};
    std::memcpy(&c.handle, &processes, sizeof(MPI_Comm));
    return c;
  }
};

/// Holds the lock under which the library calls MPI, and restricts the task. usage_error.
class mpi_call_scope {
public:
  mpi_call_scope();
  ~mpi_call_scope();
  mpi_call_scope(const mpi_call_scope&) = delete;
  mpi_call_scope& operator=(const mpi_call_scope&) = delete;

private:
  restricted_scope restricted_{restriction::in_mpi_call};
};

}  // namespace detail

/// What a program needs to share MPI with the library.
namespace mpi {

/// Calls f() while the library itself does not call MPI: for the program's own calls, by tasks and by other threads, under
/// MPI_THREAD_SERIALIZED, for which the library asks where it initialises MPI. Under MPI_THREAD_MULTIPLE a program may call MPI without it.
///
/// f should not wait for what another process does only after a message of the library, which none leaves or comes meanwhile: so it may
/// not suspend either. A collective call is safe where every rank is on its way to it, or where it is a non-blocking one, tested by one call
/// after another.
/// \param f called once, without arguments, on the calling thread
/// \return what f returns
/// Errors: usage_error inside of another such call, where MPI is not initialised or is finalised, and, under MPI_THREAD_FUNNELED and
/// MPI_THREAD_SINGLE, on another thread than the one that has initialised it; what spawns, waits, signals, registers or drops inside f
/// throws usage_error, and so does a runtime that is made there, or, of several processes, run; where such a runtime ends inside f, the
/// job ends; what f throws.
/// Suspends: never. The thread waits for the library's current look at MPI, some microseconds, and for calls of others.
/// Cost: two atomic operations.
/// \ingroup places
template <std::invocable F>
std::invoke_result_t<F&> call(F&& f) {
  const detail::mpi_call_scope here;
  return f();
}

}  // namespace mpi
}  // namespace tactus
