// SPDX-License-Identifier: Apache-2.0
// One worker: the round-robin scheduler. More: the work-stealing one, with helpers that wait in a fiber condition.
// Stacks are of 16 KiB; the default of 128 KiB costs only address space. With one worker they come from Boost's
// pool, which is faster; it may not be used by several threads, so with more workers they come from malloc.
#include <boost/fiber/all.hpp>
#include <optional>
#include <vector>

#include "resources/census/census.hpp"
#include "support/boost_fiber_workers.hpp"

namespace {

namespace fibers = boost::fibers;

class boost_fiber {
public:
  boost_fiber(const bench::options& o, bench::census_problem& p)
      : workers_(o.threads,
                 [n = static_cast<std::uint32_t>(o.threads)] {
                   fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(n, true);
                 }),
        problem_(p) {
    if (o.threads == 1) pooled_.emplace(k_stack_bytes);
  }

  void pass() {
    problem_.nothing_created();
    fibers::promise<void> gate;
    const fibers::shared_future<void> open = gate.get_future().share();
    std::vector<fibers::fiber> tasks;
    tasks.reserve(problem_.size());
    const auto task = [this, open](std::uint64_t i) {
      return [this, open, i] {
        problem_.starts();
        open.wait();
        problem_.set(i);
      };
    };
    for (std::uint64_t i = 0; i < problem_.size(); ++i) {
      if (pooled_) {
        tasks.emplace_back(std::allocator_arg, *pooled_, task(i));
      } else {
        tasks.emplace_back(std::allocator_arg, fibers::fixedsize_stack(k_stack_bytes), task(i));
      }
    }
    while (!problem_.all_started()) boost::this_fiber::yield();
    problem_.all_suspended();
    gate.set_value();
    for (fibers::fiber& f : tasks) f.join();
  }

private:
  static constexpr std::size_t k_stack_bytes = 16 * 1024;
  bench::boost_fiber_workers workers_;
  std::optional<fibers::pooled_fixedsize_stack> pooled_;
  bench::census_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::census_problem, boost_fiber>(argc, argv, "census", "boost_fiber");
}
