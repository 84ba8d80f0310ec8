// SPDX-License-Identifier: Apache-2.0
#include "kernels/nas_mg/nas_mg.hpp"
#include "support/onetbb_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::nas_mg_problem;
  return bench::program<problem, bench::onetbb_solver<problem>>(argc, argv, "nas_mg", bench::k_onetbb);
}
