// SPDX-License-Identifier: Apache-2.0
// A call per task that the compiler may not merge into one fill of memory.
#include "tasks/flat/flat.hpp"

namespace {

[[gnu::noinline]] void task(bench::flat_problem& p, std::uint64_t i) { p.set(i); }

class serial {
public:
  serial(const bench::options& /*o*/, bench::flat_problem& p) : problem_(p) {}
  void pass() {
    for (std::uint64_t i = 0; i < problem_.size(); ++i) task(problem_, i);
  }

private:
  bench::flat_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<bench::flat_problem, serial>(argc, argv, "flat", "serial"); }
