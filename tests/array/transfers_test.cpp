// SPDX-License-Identifier: Apache-2.0
// Random copies, transfers that are kept and other distributions: in one process, over bytes, and with messages that come late and in any order.
#include "array/random_transfers.hpp"
#include "support/shuffling_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <tuple>

namespace {
namespace ts = tactus;

class copies : public testing::TestWithParam<std::tuple<int, int, ts::copying>> {
protected:
  static void are_right(int cases) {
    const auto& [places, workers, copies] = GetParam();
    const auto first_seed = static_cast<std::uint64_t>(1'000'000 * places + 100'000 * workers +
                                                       (copies == ts::copying::serialize ? 50'000 : 0));
    ts::run(ts::config{.threads = workers, .places = places, .local_copy = copies},
            [first_seed, cases] { EXPECT_EQ(random_arrays::run_copying_cases(first_seed, cases), 0U); });
  }
};
const auto k_settings = testing::Combine(testing::Values(1, 2, 3, 6), testing::Values(1, 2),
                                         testing::Values(ts::copying::automatic, ts::copying::serialize));
constexpr int k_number_of_settings = 4 * 2 * 2;
INSTANTIATE_TEST_SUITE_P(places, copies, k_settings);

// With each setting; RANDOM_ARRAYS=N makes so many in all (./dev soak arrays).
int cases_each() {
  const char* const wish = std::getenv("RANDOM_ARRAYS");
  return wish == nullptr ? 40 : std::max(std::atoi(wish) / k_number_of_settings, 1);
}

TEST_P(copies, are_what_a_map_says) { are_right(cases_each()); }

TEST_P(copies, are_what_a_map_says_when_messages_come_late) {
  const support::shuffled_messages<> late;
  are_right(10);
}

}  // namespace
