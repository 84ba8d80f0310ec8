// SPDX-License-Identifier: Apache-2.0
#include "placement/turing_ring/turing_ring.hpp"

namespace {

class serial_turing_ring {
public:
  serial_turing_ring(const bench::options& /*not used*/, bench::turing_ring_problem& p) : problem_(p) {}
  void pass() {
    bench::ring_cells ring = problem_.beginning();
    const bench::stopwatch watch;
    bench::run_sequentially(ring, problem_.steps());
    const bench::duration took = watch.elapsed();
    problem_.done(std::move(ring), took);
  }

private:
  bench::turing_ring_problem& problem_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::turing_ring_problem, serial_turing_ring>(argc, argv, "turing_ring", "serial");
}
