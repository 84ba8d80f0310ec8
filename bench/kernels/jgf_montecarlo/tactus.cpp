// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_montecarlo/jgf_montecarlo.hpp"
#include "support/tactus_forked_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_montecarlo_problem;
  return bench::program<problem, bench::tactus_forked_solver<problem>>(argc, argv, "jgf_montecarlo", "tactus");
}
