// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names.
#include "placement/uts_places/tactus_search.hpp"
#include "support/mpi_ranks.hpp"

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::uts_places_problem, bench::tactus_search>(
      argc, argv, "uts_places", BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
