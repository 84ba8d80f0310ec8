// SPDX-License-Identifier: Apache-2.0
#include "placement/quicksort/tactus_quicksort.hpp"

int main(int argc, char** argv) {
  return bench::program<bench::quicksort_problem, bench::tactus_quicksort>(argc, argv, "quicksort", "tactus");
}
