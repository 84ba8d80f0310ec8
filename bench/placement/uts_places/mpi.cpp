// SPDX-License-Identifier: Apache-2.0
// mpi_stealing.hpp over the MPI that the build names.
#include "placement/uts_places/mpi_stealing.hpp"
#include "support/mpi_ranks.hpp"

namespace {

class mpi_uts_places {
public:
  mpi_uts_places(const bench::options& o, bench::uts_places_problem& p)
      : problem_(p), options_{o.chunk, o.poll, o.loot == "half"} {}

  void pass() {
    problem_.with_tree([this](const auto& tree) {
      bench::stealing_search search(tree, options_);
      const bench::uts_size here = search.run();
      const std::uint64_t mine[] = {here.nodes, here.leaves, search.messages()};
      std::uint64_t sums[3] = {};
      bench::uts_size all;
      MPI_Reduce(mine, sums, 3, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
      MPI_Reduce(&here.depth, &all.depth, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
      all.nodes = sums[0];
      all.leaves = sums[1];
      problem_.add(all);
      problem_.sent(sums[2]);
    });
  }

private:
  bench::uts_places_problem& problem_;
  bench::stealing_options options_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::uts_places_problem, mpi_uts_places>(argc, argv, "uts_places", BENCH_COMPETITOR);
}
