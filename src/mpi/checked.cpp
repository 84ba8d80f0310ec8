// SPDX-License-Identifier: Apache-2.0
#include "mpi/checked.hpp"

#include <cstdio>

namespace tactus::detail {

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
  MPI_Abort(MPI_COMM_WORLD, k_status_of_failure);
}

}  // namespace tactus::detail
