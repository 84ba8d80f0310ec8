// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_lufact/jgf_lufact.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_lufact_problem;
  return bench::program<problem, bench::serial_solver<problem>>(argc, argv, "jgf_lufact", "serial");
}
