// SPDX-License-Identifier: Apache-2.0
#include "sync/stencil_p2p/openmp.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::stencil_problem, bench::openmp_stencil>(argc, argv, "stencil_p2p", "libgomp");
}
