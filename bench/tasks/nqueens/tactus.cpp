// SPDX-License-Identifier: Apache-2.0
// Escaping asyncs: nobody but the root waits.
#include "support/tactus_pool.hpp"
#include "tasks/nqueens/nqueens.hpp"

namespace ts = tactus;

namespace {

class tactus_queens {
public:
  tactus_queens(const bench::options& o, bench::queens_problem& p) : pool_(o), problem_(p) {}
  void pass() {
    pool_.run([this] { ts::finish([this] { put({}); }); });
  }

private:
  void put(const bench::queens& q) {
    problem_.extend(q, [this](const bench::queens& more) { ts::async([this, more] { put(more); }); });
  }

  bench::tactus_pool pool_;
  bench::queens_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::queens_problem, tactus_queens>(argc, argv, "nqueens", "tactus");
}
