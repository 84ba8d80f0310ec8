// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_sor/jgf_sor.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_sor_problem;
  return bench::program<problem, bench::serial_solver<problem>>(argc, argv, "jgf_sor", "serial");
}
