// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/task_group.h>

#include "support/onetbb_pool.hpp"
#include "tasks/flat/flat.hpp"

namespace {

class onetbb {
public:
  onetbb(const bench::options& o, bench::flat_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] {
      oneapi::tbb::task_group group;
      for (std::uint64_t i = 0; i < problem_.size(); ++i) group.run([this, i] { problem_.set(i); });
      group.wait();
    });
  }

private:
  bench::onetbb_pool pool_;
  bench::flat_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::flat_problem, onetbb>(argc, argv, "flat", bench::k_onetbb);
}
