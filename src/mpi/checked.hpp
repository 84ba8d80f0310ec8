// SPDX-License-Identifier: Apache-2.0
// Calls of MPI that may fail: then the job ends, with the rank, the call and what MPI says.
#pragma once

#include <mpi.h>

namespace tactus::detail {

/// What ends a job whose MPI does not work, as deadlocks end one process.
inline constexpr int k_status_of_failure = 70;

/// Ends the job unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* call) noexcept;

/// Waits until the launcher has what this process has written to stdout and stderr, for some seconds at most. Any thread.
void wait_until_read() noexcept;

/// Ends the job with that status, when its launcher has what this process has written to stdout and stderr. Any thread.
void end_job(int status) noexcept;

}  // namespace tactus::detail
