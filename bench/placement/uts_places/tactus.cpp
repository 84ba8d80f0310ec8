// SPDX-License-Identifier: Apache-2.0
#include "placement/uts_places/tactus_search.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::uts_places_problem, bench::tactus_search>(argc, argv, "uts_places", "tactus");
}
