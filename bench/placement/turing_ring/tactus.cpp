// SPDX-License-Identifier: Apache-2.0
#include "placement/turing_ring/tactus_ring.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::turing_ring_problem, bench::tactus_turing_ring>(argc, argv, "turing_ring", "tactus");
}
