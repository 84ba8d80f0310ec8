// SPDX-License-Identifier: Apache-2.0
#include "kernels/jgf_raytracer/jgf_raytracer.hpp"
#include "support/openmp_steps.hpp"

int main(int argc, char** argv) {
  using problem = bench::jgf_raytracer_problem;
  return bench::program<problem, bench::openmp_solver<problem>>(argc, argv, "jgf_raytracer", "libgomp");
}
