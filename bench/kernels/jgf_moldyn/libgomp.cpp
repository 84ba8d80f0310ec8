// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_moldyn/jgf_moldyn.hpp"
#include "support/openmp_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_moldyn_problem;
  return bench::program<problem, bench::openmp_solver<problem>>(argc, argv, "jgf_moldyn", "libgomp");
}
