// SPDX-License-Identifier: Apache-2.0
// An empty program of MPI. It has begun when MPI is there, at the thread level that most programs ask for.
#include "places/rank_start/rank_start.hpp"

int main(int argc, char** argv) {
  return bench::program_that_is_started(argc, argv, [](const bench::options& /*unused*/) {
    MPI_Init(nullptr, nullptr);
    const bench::rank_began began = bench::rank_began::now();
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bench::begin_file::write(rank, began);
    MPI_Finalize();
  });
}
