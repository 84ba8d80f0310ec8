// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names.
#include "array/lattice_boltzmann/ranks_done.hpp"
#include "array/lattice_boltzmann/tactus_flow.hpp"
#include "support/mpi_ranks.hpp"

namespace {

class tactus_flow {
public:
  tactus_flow(const bench::options& o, bench::lattice_boltzmann_problem& p)
      : problem_(p), runtime_(bench::config_of_places(o, o.threads)) {
    runtime_.run([] {});
  }

  // All ranks are told the same of a flow, which one of them counts.
  void pass() {
    memory_.forget();
    const bench::flow_result r = runtime_.run([this] { return bench::flow_pass(problem_.setting()); });
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    all_done(problem_, {rank == 0 ? r.flow : bench::flow_digest(), r.update_seconds, memory_.peak()}, r.took);
  }

private:
  bench::lattice_boltzmann_problem& problem_;
  bench::memory_watch memory_;
  tactus::runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::lattice_boltzmann_problem, tactus_flow>(
      argc, argv, "lattice_boltzmann", BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
