// SPDX-License-Identifier: Apache-2.0
// The plain kernel: one thread, two arrays.
#include "serial_cavity.hpp"

#include "array/lattice_boltzmann/lattice_boltzmann.hpp"

namespace {

class serial_flow {
public:
  serial_flow(const bench::options& o, bench::lattice_boltzmann_problem& p) : problem_(p) {
    if (o.threads != 1) throw std::invalid_argument("lattice_boltzmann: the serial kernel has one thread");
  }

  void pass() {
    const bench::flow_setting& s = problem_.setting();
    lattice_boltzmann::serial_cavity flow(s.size, s.lid(), s.how());
    for (std::uint64_t i = 0; i < s.k_warm; ++i) flow.step();
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < s.steps; ++i) flow.step();
    const bench::duration took = watch.elapsed();
    problem_.done(bench::digest_of(flow, s.size), 0, memory_.peak(), took);
  }

private:
  bench::lattice_boltzmann_problem& problem_;
  bench::memory_watch memory_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::lattice_boltzmann_problem, serial_flow>(argc, argv, "lattice_boltzmann", "serial");
}
