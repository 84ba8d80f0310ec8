// SPDX-License-Identifier: Apache-2.0
#include "array/lattice_boltzmann/tactus_flow.hpp"

namespace {

class tactus_flow {
public:
  tactus_flow(const bench::options& o, bench::lattice_boltzmann_problem& p)
      : problem_(p), runtime_(bench::config_of_places(o, o.threads)) {
    runtime_.run([] {});
  }

  void pass() {
    const bench::flow_result r = runtime_.run([this] { return bench::flow_pass(problem_.setting()); });
    problem_.done(r.flow, r.update_seconds, memory_.peak(), r.took);
  }

private:
  bench::lattice_boltzmann_problem& problem_;
  bench::memory_watch memory_;
  tactus::runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::lattice_boltzmann_problem, tactus_flow>(argc, argv, "lattice_boltzmann", "tactus");
}
