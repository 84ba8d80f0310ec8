// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/task_group.h>

#include "support/onetbb_pool.hpp"
#include "tasks/nqueens/nqueens.hpp"

namespace {

class onetbb {
public:
  onetbb(const bench::options& o, bench::queens_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] {
      oneapi::tbb::task_group group;
      put(group, {});
      group.wait();
    });
  }

private:
  void put(oneapi::tbb::task_group& group, const bench::queens& q) {
    problem_.extend(
        q, [this, &group](const bench::queens& more) { group.run([this, &group, more] { put(group, more); }); });
  }

  bench::onetbb_pool pool_;
  bench::queens_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::queens_problem, onetbb>(argc, argv, "nqueens", bench::k_onetbb);
}
