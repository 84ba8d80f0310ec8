// SPDX-License-Identifier: Apache-2.0
// oneTBB has no barrier that tasks may wait at: each phase forks anew. Shapes:
//   task_group   a run() for each task
//   grain_1      parallel_for with the simple partitioner and grain 1: a oneTBB task for each task
//   automatic    parallel_for with its default partitioner
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_group.h>

#include "support/onetbb_pool.hpp"
#include "sync/lockstep/lockstep.hpp"

namespace {

namespace tbb = oneapi::tbb;

class onetbb {
public:
  onetbb(const bench::options& o, bench::lockstep_problem& p) : pool_(o.threads), problem_(p), phase_(phase_of(p)) {
    p.expect_ns(500, p.shape() == "automatic" ? 2 : 80);
  }

  void pass() {
    pool_.run([this] { problem_.run_phases(true, [this] { (this->*phase_)(); }); });
  }

private:
  using phase = void (onetbb::*)();

  static phase phase_of(const bench::lockstep_problem& p) {
    if (p.shape() == "task_group") return &onetbb::fork_group;
    if (p.shape() == "grain_1") return &onetbb::fork_single;
    if (p.shape() == "automatic") return &onetbb::fork_automatic;
    throw std::invalid_argument("lockstep: --shape is task_group, grain_1 or automatic, not '" + p.shape() + "'");
  }

  void fork_group() {
    tbb::task_group group;
    for (std::uint64_t i = 0; i < problem_.size(); ++i) group.run([this, i] { problem_.update(i); });
    group.wait();
  }

  void fork_single() { fork_loop(tbb::simple_partitioner()); }
  void fork_automatic() { fork_loop(tbb::auto_partitioner()); }

  template <class Partitioner>
  void fork_loop(const Partitioner& partitioner) {
    const tbb::blocked_range<std::uint64_t> all(0, problem_.size(), 1);
    tbb::parallel_for(
        all,
        [this](const tbb::blocked_range<std::uint64_t>& part) {
          for (std::uint64_t i = part.begin(); i != part.end(); ++i) problem_.update(i);
        },
        partitioner);
  }

  bench::onetbb_pool pool_;
  bench::lockstep_problem& problem_;
  phase phase_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::lockstep_problem, onetbb>(argc, argv, "lockstep", bench::k_onetbb);
}
