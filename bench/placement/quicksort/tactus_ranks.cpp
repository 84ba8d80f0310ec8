// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names.
#include "placement/quicksort/tactus_quicksort.hpp"
#include "support/mpi_ranks.hpp"

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::quicksort_problem, bench::tactus_quicksort>(
      argc, argv, "quicksort", BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
