// SPDX-License-Identifier: Apache-2.0
#include "tasks/nqueens/openmp.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::queens_problem, bench::openmp_queens>(argc, argv, "nqueens", "libgomp");
}
