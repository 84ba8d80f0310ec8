// SPDX-License-Identifier: Apache-2.0
#include "kernels/nas_cg/nas_cg.hpp"
#include "support/onetbb_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::nas_cg_problem;
  return bench::program<problem, bench::onetbb_solver<problem>>(argc, argv, "nas_cg", bench::k_onetbb);
}
