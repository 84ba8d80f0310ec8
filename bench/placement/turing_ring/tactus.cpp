// SPDX-License-Identifier: Apache-2.0
#include "placement/placed_runtime.hpp"
#include "placement/turing_ring/tactus_ring.hpp"

namespace {

class tactus_turing_ring {
public:
  tactus_turing_ring(const bench::options& o, bench::turing_ring_problem& p)
      : problem_(p), runtime_(bench::placed_config(o)) {}

  void pass() {
    runtime_.run([this] { bench::run_with_tasks(problem_); });
    problem_.ran(runtime_.figures());
  }

private:
  bench::turing_ring_problem& problem_;
  bench::placed_runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::turing_ring_problem, tactus_turing_ring>(argc, argv, "turing_ring", "tactus");
}
