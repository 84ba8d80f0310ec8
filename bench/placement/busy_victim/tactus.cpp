// SPDX-License-Identifier: Apache-2.0
#include "placement/busy_victim/tactus_busy_victim.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::busy_victim_problem, bench::tactus_busy_victim>(argc, argv, "busy_victim", "tactus");
}
