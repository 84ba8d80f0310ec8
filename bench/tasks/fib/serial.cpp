// SPDX-License-Identifier: Apache-2.0
#include "tasks/fib/fib.hpp"

namespace {

class serial {
public:
  serial(const bench::options& /*o*/, bench::fib_problem& p) : problem_(p) {}
  void pass() { problem_.result = bench::serial_fib(problem_.n); }

private:
  bench::fib_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<bench::fib_problem, serial>(argc, argv, "fib", "serial"); }
