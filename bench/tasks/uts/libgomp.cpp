// SPDX-License-Identifier: Apache-2.0
#include "tasks/uts/openmp.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::uts_problem, bench::openmp_uts>(argc, argv, "uts", "libgomp");
}
