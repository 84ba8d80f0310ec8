// SPDX-License-Identifier: Apache-2.0
// Random distributed arrays whose places are processes, and copies between them: `arrays CASES [SEED]`, under a launcher with any number of
// ranks.
#include "array/random_arrays.hpp"
#include "array/random_transfers.hpp"

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
    const int copied = cases / 5 + 1;
    const std::uint64_t wrong = random_arrays::run_copying_cases(seed, copied);
    std::printf("%d pairs of arrays that are copied, %llu of them wrong\n", copied,
                static_cast<unsigned long long>(wrong));
    return failed == 0 && wrong == 0 ? 0 : 1;
  });
}
