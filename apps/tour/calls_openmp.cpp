// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

namespace tour {
namespace {

std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0;
#pragma omp task shared(a) firstprivate(n)
  a = fib(n - 1);
  const std::uint64_t b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

}  // namespace

fib_form calls_openmp(int threads) {
  return [threads](int n) {
    std::uint64_t result = 0;
#pragma omp parallel num_threads(threads) shared(result)
#pragma omp single
    result = fib(n);
    return result;
  };
}

}  // namespace tour
