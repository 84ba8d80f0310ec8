// SPDX-License-Identifier: Apache-2.0
// The loop of atomic blocks stands in a finish between the parent's statements, so that the child waits meanwhile; two
// activities share the loop, so that their exclusion counts.
#include "support/xrx_pool.hpp"
#include "x10/figure7/figure7.hpp"

namespace xrx = bench::xrx;

namespace {

class xrx_problem : public bench::figure7_problem {
public:
  using figure7_problem::figure7_problem;

  void report(nlohmann::json& line) const {
    figure7_problem::report(line);
    pool->report(line);
  }

  bench::xrx_pool* pool = nullptr;
};

class xrx_figure7 {
public:
  xrx_figure7(const bench::options& o, xrx_problem& p) : pool_(o), problem_(p) { p.pool = &pool_; }

  void pass() {
    const auto blocks = [this](std::uint64_t n) {
      for (std::uint64_t i = 0; i < n; ++i) xrx::atomic([this] { problem_.block(); });
    };
    pool_.run([&] {
      xrx::finish([&] {
        const xrx::clock c = xrx::clock::make();
        xrx::async(xrx::clocked(c), [this, c] {
          problem_.s1();
          c.advance();
          problem_.s2();
        });
        xrx::finish([&] {
          const std::uint64_t n = problem_.operations();
          xrx::async([&, n] { blocks(n / 2); });
          xrx::async([&, n] { blocks(n - n / 2); });
        });
        problem_.s3();
        c.advance();
        problem_.s4();
        c.drop();
      });
    });
  }

private:
  bench::xrx_pool pool_;
  xrx_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<xrx_problem, xrx_figure7>(argc, argv, "figure7", "xrx"); }
