// SPDX-License-Identifier: Apache-2.0
// What accumulators replace in X10: a shared sum under atomic, and a clock. As the paper's "X10 atomic", on the model of
// X10's runtime under the scheme that --scheme names.
#include "support/xrx_pool.hpp"
#include "sync/syncbench/syncbench.hpp"

namespace xrx = bench::xrx;

namespace {

class xrx_problem : public bench::syncbench_problem {
public:
  using syncbench_problem::syncbench_problem;

  void report(nlohmann::json& line) const {
    syncbench_problem::report(line);
    pool->report(line);
  }

  bench::xrx_pool* pool = nullptr;
};

class xrx_syncbench {
public:
  xrx_syncbench(const bench::options& o, xrx_problem& p) : options_(o), pool_(o), problem_(p) {
    p.pool = &pool_;
    p.expect_ns(0, 15'000);
  }

  void pass() {
    bench::with_type(options_, [this]<class T>(T /*type*/) {
      bench::sums_in_turn<T> sums;
      pool_.run([this, &sums] {
        xrx::clocked_finish([this, &sums](const xrx::clock& c) {
          for (std::uint64_t i = 0; i < problem_.tasks(); ++i) {
            xrx::async(xrx::clocked(c), [this, &sums, c, i] { take_part(sums, c, i); });
          }
        });
      });
    });
  }

private:
  template <class T>
  void take_part(bench::sums_in_turn<T>& sums, const xrx::clock& c, std::uint64_t i) {
    bench::added_in_turn<T> added;
    problem_.run_phases(i == 0, [&](std::uint64_t phase) {
      problem_.delay(i);
      const T value = problem_.value<T>(i, phase);
      T& sum = sums.of_phase(phase);
      xrx::atomic([&sum, value] { sum += value; });
      c.advance();
      problem_.check(i, phase, added.in_phase(phase, sum));
    });
  }

  bench::options options_;
  bench::xrx_pool pool_;
  xrx_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) { return bench::program<xrx_problem, xrx_syncbench>(argc, argv, "syncbench", "xrx"); }
