// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_series/jgf_series.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_series_problem;
  return bench::program<problem, bench::serial_solver<problem>>(argc, argv, "jgf_series", "serial");
}
