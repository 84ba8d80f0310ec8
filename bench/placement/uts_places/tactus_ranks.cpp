// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names.
#include "placement/uts_places/tactus_search.hpp"
#include "support/mpi_ranks.hpp"

namespace {

class tactus_uts_ranks {
public:
  tactus_uts_ranks(const bench::options& o, bench::uts_places_problem& p) : problem_(p), search_(o, p) {}

  void pass() {
    const std::uint64_t mine = search_.pass();
    std::uint64_t all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    problem_.sent(all);
  }

private:
  bench::uts_places_problem& problem_;
  bench::tactus_search search_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::uts_places_problem, tactus_uts_ranks>(argc, argv, "uts_places",
                                                                              BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
