// SPDX-License-Identifier: Apache-2.0
#include "flat/flat.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

class tactus_flat {
public:
  tactus_flat(const bench::options& o, bench::flat_problem& p) : pool_(o), problem_(p) {}
  void pass() {
    pool_.run([this] {
      ts::finish([this] {
        for (std::uint64_t i = 0; i < problem_.size(); ++i) ts::async([this, i] { problem_.set(i); });
      });
    });
  }

private:
  bench::tactus_pool pool_;
  bench::flat_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::flat_problem, tactus_flat>(argc, argv, "flat", "tactus");
}
