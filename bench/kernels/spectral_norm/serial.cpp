// SPDX-License-Identifier: Apache-2.0
#include "kernels/spectral_norm/spectral_norm.hpp"

int main(int argc, char** argv) {
  using problem = bench::spectral_norm_problem;
  return bench::program<problem, bench::serial_solver<problem>>(argc, argv, "spectral_norm", "serial");
}
