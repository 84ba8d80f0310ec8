// SPDX-License-Identifier: Apache-2.0
#include "simulator/workload.hpp"

#include "simulator/table.hpp"
#include "simulator/trees.hpp"

#include <fstream>

namespace simulator {

std::int64_t workload::total_ns() const {
  std::int64_t sum = 0;
  for (const task& t : tasks) sum += t.ns;
  return sum;
}

workload workload_named(const std::string& name, std::int64_t grain_ns) {
  if (name == "T1") return tree(k_t1, grain_ns);
  if (name == "T2") return tree(k_t2, grain_ns);
  if (name == "T3") return tree(k_t3, grain_ns);
  if (name.starts_with("binomial:")) return tree(binomial_shape(name), grain_ns);
  std::ifstream in(name);
  if (!in) {
    throw bad_input("--workload '" + name +
                    "' is no tree (T1, T2, T3, binomial:B0,M,Q,SEED) and no file that can be read");
  }
  return table(in, name);
}

}  // namespace simulator
