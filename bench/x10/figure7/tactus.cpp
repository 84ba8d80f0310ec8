// SPDX-License-Identifier: Apache-2.0
#include "support/tactus_pool.hpp"
#include "x10/figure7/figure7.hpp"

namespace ts = tactus;

namespace {

class tactus_figure7 {
public:
  tactus_figure7(const bench::options& o, bench::figure7_problem& p) : pool_(o), problem_(p) {}

  void pass() {
    pool_.run([this] {
      ts::finish(ts::clocked, [this](ts::clock c) {
        ts::async(ts::clocked(c), [this, c] {
          problem_.s1();
          c.advance();
          problem_.s2();
        });
        ts::finish([this] {
          const std::uint64_t n = problem_.operations();
          ts::async([this, n] { blocks(n / 2); });
          ts::async([this, n] { blocks(n - n / 2); });
        });
        problem_.s3();
        c.advance();
        problem_.s4();
      });
    });
  }

private:
  void blocks(std::uint64_t n) {
    for (std::uint64_t i = 0; i < n; ++i) ts::atomic([this] { problem_.block(); });
  }

  bench::tactus_pool pool_;
  bench::figure7_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::figure7_problem, tactus_figure7>(argc, argv, "figure7", "tactus");
}
