// SPDX-License-Identifier: Apache-2.0
#include "sync/lockstep/openmp.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::lockstep_problem, bench::openmp_lockstep>(argc, argv, "lockstep", "libgomp");
}
