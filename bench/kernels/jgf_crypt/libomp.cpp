// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_crypt/jgf_crypt.hpp"
#include "support/openmp_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_crypt_problem;
  return bench::program<problem, bench::openmp_solver<problem>>(argc, argv, "jgf_crypt", "libomp");
}
