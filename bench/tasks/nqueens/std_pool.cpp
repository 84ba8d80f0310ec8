// SPDX-License-Identifier: Apache-2.0
#include "support/std_pool.hpp"

#include "tasks/nqueens/nqueens.hpp"

namespace {

class std_pool_queens {
public:
  std_pool_queens(const bench::options& o, bench::queens_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] { put({}); });
  }

private:
  void put(const bench::queens& q) {
    problem_.extend(q, [this](const bench::queens& more) { pool_.spawn([this, more] { put(more); }); });
  }

  bench::std_pool pool_;
  bench::queens_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::queens_problem, std_pool_queens>(argc, argv, "nqueens", "std_pool");
}
