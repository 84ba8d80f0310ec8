// SPDX-License-Identifier: Apache-2.0
#include "x10/imsuite/engines/onetbb.hpp"

#include "support/onetbb_pool.hpp"
#include "x10/imsuite/problem.hpp"

namespace {

class onetbb {
public:
  onetbb(const bench::options& o, bench::imsuite::imsuite_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] { problem_.run(engine_); });
  }

private:
  bench::onetbb_pool pool_;
  bench::imsuite::onetbb_engine engine_;
  bench::imsuite::imsuite_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::imsuite::imsuite_problem, onetbb>(argc, argv, "imsuite", bench::k_onetbb);
}
