// SPDX-License-Identifier: Apache-2.0
#include "kernels/nas_mg/nas_mg.hpp"
#include "support/openmp_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::nas_mg_problem;
  return bench::program<problem, bench::openmp_solver<problem>>(argc, argv, "nas_mg", "libomp");
}
