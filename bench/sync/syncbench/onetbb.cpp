// SPDX-License-Identifier: Apache-2.0
// A parallel_reduce for each phase, with a oneTBB task for each task: its tasks cannot wait for one another.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/partitioner.h>

#include <functional>

#include "support/onetbb_pool.hpp"
#include "sync/syncbench/syncbench.hpp"

namespace {

namespace tbb = oneapi::tbb;

class onetbb {
public:
  onetbb(const bench::options& o, bench::syncbench_problem& p) : options_(o), pool_(o.threads), problem_(p) {
    p.expect_ns(200, 80);
  }

  void pass() {
    bench::with_type(options_, [this]<class T>(T /*type*/) {
      pool_.run([this] {
        problem_.run_phases(true, [this](std::uint64_t phase) { problem_.check_all(phase, sum_of<T>(phase)); });
      });
    });
  }

private:
  template <class T>
  T sum_of(std::uint64_t phase) const {
    const tbb::blocked_range<std::uint64_t> all(0, problem_.tasks(), 1);
    return tbb::parallel_reduce(
        all, T{},
        [this, phase](const tbb::blocked_range<std::uint64_t>& part, T sum) {
          for (std::uint64_t i = part.begin(); i != part.end(); ++i) {
            problem_.delay(i);
            sum += problem_.value<T>(i, phase);
          }
          return sum;
        },
        std::plus<T>(), tbb::simple_partitioner());
  }

  bench::options options_;
  bench::onetbb_pool pool_;
  bench::syncbench_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::syncbench_problem, onetbb>(argc, argv, "syncbench", bench::k_onetbb);
}
