// SPDX-License-Identifier: Apache-2.0
#include "placement/replay/tactus_replay.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::replay_problem, bench::tactus_replay>(argc, argv, "replay", "tactus");
}
