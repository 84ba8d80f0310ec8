// SPDX-License-Identifier: Apache-2.0
// One finish per level, under whichever policy the command line names.
#include "support/tactus_pool.hpp"
#include "tasks/fib/fib.hpp"

namespace ts = tactus;

namespace {

std::uint64_t fib(int n, int threshold) {
  if (n <= threshold) return bench::serial_fib(n);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  ts::finish([&] {
    ts::async([&a, n, threshold] { a = fib(n - 1, threshold); });
    b = fib(n - 2, threshold);
  });
  return a + b;
}

class tactus_fib {
public:
  tactus_fib(const bench::options& o, bench::fib_problem& p) : pool_(o), problem_(p) {}
  void pass() {
    pool_.run([this] { problem_.result = fib(problem_.n, problem_.threshold); });
  }

private:
  bench::tactus_pool pool_;
  bench::fib_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<bench::fib_problem, tactus_fib>(argc, argv, "fib", "tactus"); }
