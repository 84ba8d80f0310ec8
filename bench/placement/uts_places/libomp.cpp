// SPDX-License-Identifier: Apache-2.0
#include "placement/uts_places/openmp.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::uts_places_problem, bench::openmp_uts_places>(argc, argv, "uts_places", "libomp");
}
