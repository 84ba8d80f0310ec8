// SPDX-License-Identifier: Apache-2.0
// An OpenMP team with a fixed number of threads.
#pragma once

#include <omp.h>

namespace bench {

class openmp_team {
public:
  explicit openmp_team(int threads) : threads_(threads) {
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    run([] {});  // the threads exist before the clock starts
  }

  /// body() in one thread; the others execute its tasks.
  template <class Body>
  void run(Body&& body) {
#pragma omp parallel num_threads(threads_)
#pragma omp single
    body();
  }

  /// body(thread) in every thread of one parallel region.
  template <class Body>
  void run_in_all(Body&& body) {
#pragma omp parallel num_threads(threads_)
    body(omp_get_thread_num());
  }

private:
  int threads_;
};

}  // namespace bench
