// SPDX-License-Identifier: Apache-2.0
// All task_groups share one context: with a context of its own, each would pay for binding it to that of its caller.
#include <oneapi/tbb/task_group.h>

#include "support/onetbb_pool.hpp"
#include "tasks/fib/fib.hpp"

namespace {

namespace tbb = oneapi::tbb;

std::uint64_t fib(int n, int threshold, tbb::task_group_context& shared) {
  if (n <= threshold) return bench::serial_fib(n);
  std::uint64_t a = 0;
  tbb::task_group group(shared);
  group.run([&a, n, threshold, &shared] { a = fib(n - 1, threshold, shared); });
  const std::uint64_t b = fib(n - 2, threshold, shared);
  group.wait();
  return a + b;
}

class onetbb {
public:
  onetbb(const bench::options& o, bench::fib_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] {
      tbb::task_group_context shared;
      problem_.result = fib(problem_.n, problem_.threshold, shared);
    });
  }

private:
  bench::onetbb_pool pool_;
  bench::fib_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::fib_problem, onetbb>(argc, argv, "fib", bench::k_onetbb);
}
