// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/parallel_for.h>

#include "resources/idle/idle.hpp"
#include "support/onetbb_pool.hpp"

namespace {

class onetbb {
public:
  onetbb(const bench::options& o, bench::idle_problem& p) : pool_(o.threads), problem_(p) {
    if (p.waiting()) throw std::invalid_argument("idle: oneTBB has only the shape parked");
  }

  /// Some work first, so that the workers have been awake.
  void pass() {
    pool_.run([] { oneapi::tbb::parallel_for(0, 1000, [](int) {}); });
    problem_.watch();
  }

private:
  bench::onetbb_pool pool_;
  bench::idle_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::idle_problem, onetbb>(argc, argv, "idle", bench::k_onetbb);
}
