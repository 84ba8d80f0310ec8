// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_moldyn/jgf_moldyn.hpp"
#include "support/onetbb_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_moldyn_problem;
  return bench::program<problem, bench::onetbb_solver<problem>>(argc, argv, "jgf_moldyn", bench::k_onetbb);
}
