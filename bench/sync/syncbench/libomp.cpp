// SPDX-License-Identifier: Apache-2.0
#include "sync/syncbench/openmp.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::syncbench_problem, bench::openmp_syncbench>(argc, argv, "syncbench", "libomp");
}
