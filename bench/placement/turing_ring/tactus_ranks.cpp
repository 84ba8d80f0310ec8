// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names.
#include "placement/turing_ring/tactus_ring.hpp"
#include "support/mpi_ranks.hpp"

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::turing_ring_problem, bench::tactus_turing_ring>(
      argc, argv, "turing_ring", BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
