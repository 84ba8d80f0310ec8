// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names.
#include "placement/busy_victim/tactus_busy_victim.hpp"
#include "support/mpi_ranks.hpp"

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::busy_victim_problem, bench::tactus_busy_victim>(
      argc, argv, "busy_victim", BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
