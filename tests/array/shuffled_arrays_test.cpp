// SPDX-License-Identifier: Apache-2.0
// Random arrays whose messages come late and in any order.
#include "array/random_arrays.hpp"
#include "support/shuffling_engine.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <tuple>

namespace {
namespace ts = tactus;

class shuffled_arrays : public testing::TestWithParam<std::tuple<int, int, ts::copying>> {};
INSTANTIATE_TEST_SUITE_P(places, shuffled_arrays,
                         testing::Combine(testing::Values(2, 3, 8), testing::Values(1, 2),
                                          testing::Values(ts::copying::automatic, ts::copying::serialize)));

// With one element type and two axes: ghosts_test has all the others, over messages that keep their order.
TEST_P(shuffled_arrays, are_what_their_owners_had) {
  constexpr unsigned k_cases = 15;
  const auto& [places, workers, copies] = GetParam();
  const support::shuffled_messages<> late;
  const unsigned first_seed = static_cast<unsigned>(places * 1000 + workers * 100);
  ts::run(ts::config{.threads = workers, .places = places, .local_copy = copies}, [first_seed] {
    for (unsigned seed = first_seed; seed < first_seed + k_cases; ++seed) {
      std::mt19937 random(seed);
      const auto c = random_arrays::make_case<2>(random);
      EXPECT_EQ(random_arrays::run_case<long>(c), 0U) << "seed " << seed << ", " << c.text;
    }
  });
}

}  // namespace
