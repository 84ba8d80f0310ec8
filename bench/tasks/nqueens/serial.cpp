// SPDX-License-Identifier: Apache-2.0
#include "tasks/nqueens/nqueens.hpp"

namespace {

class serial {
public:
  serial(const bench::options& /*o*/, bench::queens_problem& p) : problem_(p) {}
  void pass() { put({}); }

private:
  [[gnu::noinline]] void put(const bench::queens& q) {
    problem_.extend(q, [this](const bench::queens& more) { put(more); });
  }

  bench::queens_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::queens_problem, serial>(argc, argv, "nqueens", "serial");
}
