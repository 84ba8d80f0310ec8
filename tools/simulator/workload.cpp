// SPDX-License-Identifier: Apache-2.0
#include "simulator/workload.hpp"

#include "simulator/table.hpp"
#include "simulator/trees.hpp"

#include <fstream>

namespace simulator {

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t k_longest = std::int64_t{1} << 62;
  if (b > k_longest - a) throw bad_input("--workload: it takes longer than 2^62 ns, which are 146 years");
  return a + b;
}

std::int64_t workload::total_ns() const {
  std::int64_t sum = 0;
  for (const task& t : tasks) sum = sum_of(sum, t.ns);
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
