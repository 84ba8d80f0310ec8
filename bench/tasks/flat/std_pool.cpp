// SPDX-License-Identifier: Apache-2.0
#include "support/std_pool.hpp"

#include "tasks/flat/flat.hpp"

namespace {

class std_pool_flat {
public:
  std_pool_flat(const bench::options& o, bench::flat_problem& p) : pool_(o.threads), problem_(p) {}
  void pass() {
    pool_.run([this] {
      for (std::uint64_t i = 0; i < problem_.size(); ++i) pool_.spawn([this, i] { problem_.set(i); });
    });
  }

private:
  bench::std_pool pool_;
  bench::flat_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::flat_problem, std_pool_flat>(argc, argv, "flat", "std_pool");
}
