// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_series/jgf_series.hpp"
#include "support/onetbb_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_series_problem;
  return bench::program<problem, bench::onetbb_solver<problem>>(argc, argv, "jgf_series", bench::k_onetbb);
}
