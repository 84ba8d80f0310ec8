// SPDX-License-Identifier: Apache-2.0
// Fibers and their barrier. One worker: the round-robin scheduler. More: the work-sharing one, whose ready fibers all
// stand in one queue. Its idle workers must not be let sleep, for a new fiber wakes none of them, and one thread would
// then run all; since they spin, helpers exist only during a pass. Stacks are of 16 KiB; with one worker from Boost's
// pool, which several threads may not use.
#include <boost/fiber/all.hpp>
#include <optional>
#include <vector>

#include "support/boost_fiber_workers.hpp"
#include "sync/lockstep/lockstep.hpp"

namespace {

namespace fibers = boost::fibers;

class boost_fiber {
public:
  boost_fiber(const bench::options& o, bench::lockstep_problem& p) : threads_(o.threads), problem_(p) {
    if (!p.shape().empty() && p.shape() != "million") {
      throw std::invalid_argument("lockstep: Boost.Fiber has only the shape million beside the usual one");
    }
    if (o.threads == 1) pooled_.emplace(k_stack_bytes);
    p.expect_ns(0, o.threads == 1 ? 200 : 1000);
  }

  void pass() {
    const bench::boost_fiber_workers workers(
        threads_, [] { fibers::use_scheduling_algorithm<fibers::algo::shared_work>(false); });
    problem_.creation_begins();
    fibers::barrier together(problem_.size());
    const auto task = [this, &together](std::uint64_t i) {
      return [this, &together, i] {
        problem_.run_phases(i == 0, [this, &together, i] {
          problem_.update(i);
          together.wait();
        });
      };
    };
    std::vector<fibers::fiber> tasks;
    tasks.reserve(problem_.size());
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      if (pooled_) {
        tasks.emplace_back(std::allocator_arg, *pooled_, task(i));
      } else {
        tasks.emplace_back(std::allocator_arg, fibers::fixedsize_stack(k_stack_bytes), task(i));
      }
    }
    for (fibers::fiber& f : tasks) f.join();
  }

private:
  static constexpr std::size_t k_stack_bytes = 16 * 1024;
  int threads_;
  std::optional<fibers::pooled_fixedsize_stack> pooled_;
  bench::lockstep_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::lockstep_problem, boost_fiber>(argc, argv, "lockstep", "boost_fiber");
}
