// SPDX-License-Identifier: Apache-2.0
#include "support/openmp_team.hpp"
#include "tasks/fib/fib.hpp"

namespace {

std::uint64_t fib(int n, int threshold) {
  if (n <= threshold) return bench::serial_fib(n);
  std::uint64_t a = 0;
#pragma omp task shared(a) firstprivate(n, threshold)
  a = fib(n - 1, threshold);
  const std::uint64_t b = fib(n - 2, threshold);
#pragma omp taskwait
  return a + b;
}

class libgomp {
public:
  libgomp(const bench::options& o, bench::fib_problem& p) : team_(o.threads), problem_(p) {}
  void pass() {
    team_.run([this] { problem_.result = fib(problem_.n, problem_.threshold); });
  }

private:
  bench::openmp_team team_;
  bench::fib_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<bench::fib_problem, libgomp>(argc, argv, "fib", "libgomp"); }
