// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_lufact/jgf_lufact.hpp"
#include "support/tactus_forked_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_lufact_problem;
  return bench::program<problem, bench::tactus_forked_solver<problem>>(argc, argv, "jgf_lufact", "tactus");
}
