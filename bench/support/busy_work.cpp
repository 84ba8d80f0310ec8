// SPDX-License-Identifier: Apache-2.0
#include "support/busy_work.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace bench {

[[gnu::noinline]] void compute(std::uint64_t steps) {
  std::uint64_t x = steps;
  for (std::uint64_t i = 0; i < steps; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  asm volatile("" : : "r"(x));  // the compiler may not drop what nobody reads
}

// The shortest of many short tries: whatever else the machine does makes a try only longer.
std::uint64_t steps_taking(double ns) {
  if (ns <= 0) return 0;
  constexpr std::uint64_t k_steps = 10'000;
  constexpr int k_tries = 200;
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < k_tries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    compute(k_steps);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    shortest = std::min(shortest, took.count());
  }
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(ns / shortest * static_cast<double>(k_steps)));
}

}  // namespace bench
