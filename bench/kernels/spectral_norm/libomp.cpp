// SPDX-License-Identifier: Apache-2.0
#include "kernels/spectral_norm/spectral_norm.hpp"
#include "support/openmp_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::spectral_norm_problem;
  return bench::program<problem, bench::openmp_solver<problem>>(argc, argv, "spectral_norm", "libomp");
}
