// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_sor/jgf_sor.hpp"
#include "support/openmp_forked_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_sor_problem;
  return bench::program<problem, bench::openmp_either_solver<problem>>(argc, argv, "jgf_sor", "libgomp");
}
