// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/task_group.h>

#include "fib/fib.hpp"
#include "support/onetbb_pool.hpp"

namespace {

std::uint64_t fib(int n, int threshold) {
  if (n <= threshold) return bench::serial_fib(n);
  std::uint64_t a = 0;
  oneapi::tbb::task_group group;
  group.run([&a, n, threshold] { a = fib(n - 1, threshold); });
  const std::uint64_t b = fib(n - 2, threshold);
  group.wait();
  return a + b;
}

class onetbb {
public:
  onetbb(const bench::options& o, bench::fib_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] { problem_.result = fib(problem_.n, problem_.threshold); });
  }

private:
  bench::onetbb_pool pool_;
  bench::fib_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<bench::fib_problem, onetbb>(argc, argv, "fib", "onetbb"); }
