// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_crypt/jgf_crypt.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_crypt_problem;
  return bench::program<problem, bench::serial_solver<problem>>(argc, argv, "jgf_crypt", "serial");
}
