// SPDX-License-Identifier: Apache-2.0
// The program's own calls of MPI.
#include <tactus/mpi.hpp>

#include <tactus/base/error.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include "mpi/mpi_lock.hpp"

namespace tactus::detail {
namespace {

thread_local bool t_calls = false;

[[nodiscard]] bool& calls_of_this_thread() noexcept { return t_calls; }

}  // namespace

bool mpi_is_there() noexcept {
  int begun = 0;
  int over = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  return begun != 0 && over == 0;
}

bool one_thread_calls_mpi() noexcept {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level < MPI_THREAD_SERIALIZED;
}

bool may_call_mpi() noexcept {
  int main = 0;
  MPI_Is_thread_main(&main);
  return main != 0 || !one_thread_calls_mpi();
}

bool is_in_mpi_call() noexcept { return calls_of_this_thread(); }

mpi_call_scope::mpi_call_scope() {
  if (calls_of_this_thread()) {
    throw usage_error("tactus::mpi::call was called inside of a function that it calls; let one call do all of it");
  }
  if (!mpi_is_there()) {
    throw usage_error(
        "tactus::mpi::call was called where MPI is not initialised, or no more; start the program by mpirun, or "
        "initialise MPI before");
  }
  if (!may_call_mpi()) {
    throw usage_error(
        "tactus::mpi::call was called by another thread than the one that has initialised MPI, which allows that one "
        "only; initialise it by MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or leave that to "
        "tactus::run");
  }
  g_mpi_lock.take();
  calls_of_this_thread() = true;
}

mpi_call_scope::~mpi_call_scope() {
  calls_of_this_thread() = false;
  g_mpi_lock.give_back();
}

}  // namespace tactus::detail
