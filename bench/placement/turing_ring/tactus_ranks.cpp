// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names. What is counted is of the first one.
#include "placement/placed_runtime.hpp"
#include "placement/turing_ring/tactus_ring.hpp"
#include "support/mpi_ranks.hpp"

namespace {

class tactus_turing_ring_ranks {
public:
  tactus_turing_ring_ranks(const bench::options& o, bench::turing_ring_problem& p)
      : problem_(p), runtime_(bench::placed_config(o)) {}

  void pass() {
    runtime_.run([this] { bench::run_with_tasks(problem_); });
    problem_.ran(runtime_.figures());
  }

private:
  bench::turing_ring_problem& problem_;
  bench::placed_runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::turing_ring_problem, tactus_turing_ring_ranks>(
      argc, argv, "turing_ring", BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
