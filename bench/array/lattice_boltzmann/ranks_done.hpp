// SPDX-License-Identifier: Apache-2.0
// What several processes tell the problem of a pass.
#pragma once

#include <mpi.h>

#include "array/lattice_boltzmann/lattice_boltzmann.hpp"

namespace bench {

/// Of one process.
struct rank_result {
  flow_digest flow;
  double update_seconds = 0;
  std::uint64_t peak_bytes = 0;
};

/// By all ranks together; each has what it gives of its own cells.
inline void all_done(lattice_boltzmann_problem& problem, const rank_result& here, const duration& took,
                     flow_match match = flow_match::bits) {
  rank_result all;
  MPI_Allreduce(&here.flow.marks, &all.flow.marks, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&here.flow.mass, &all.flow.mass, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&here.flow.moment, &all.flow.moment, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&here.update_seconds, &all.update_seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&here.peak_bytes, &all.peak_bytes, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  problem.done(all.flow, all.update_seconds, all.peak_bytes, took, match);
}

}  // namespace bench
