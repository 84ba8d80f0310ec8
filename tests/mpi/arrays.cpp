// SPDX-License-Identifier: Apache-2.0
// Random distributed arrays whose places are processes: `arrays CASES [SEED]`, under a launcher with any number of ranks.
#include "array/random_arrays.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 100;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return tactus::run([cases, seed] {
    const std::uint64_t failed = random_arrays::run_cases(seed, cases);
    std::printf("%d arrays over %d places, %llu of them wrong\n", cases, tactus::num_places(),
                static_cast<unsigned long long>(failed));
    return failed == 0 ? 0 : 1;
  });
}
