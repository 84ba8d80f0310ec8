// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names. What is counted is of the first one.
#include "placement/placed_runtime.hpp"
#include "placement/quicksort/tactus_quicksort.hpp"
#include "support/mpi_ranks.hpp"

namespace {

class tactus_quicksort_ranks {
public:
  tactus_quicksort_ranks(const bench::options& o, bench::quicksort_problem& p)
      : problem_(p), runtime_(bench::placed_config(o)) {}

  void pass() {
    runtime_.run([this] { bench::sort_with_tasks(problem_.data(), problem_.grain()); });
    problem_.ran(runtime_.figures());
  }

private:
  bench::quicksort_problem& problem_;
  bench::placed_runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::quicksort_problem, tactus_quicksort_ranks>(
      argc, argv, "quicksort", BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
