// SPDX-License-Identifier: Apache-2.0
// Random programs against the oracle, the everyday share; ./dev soak runs as many as one likes.
#include "campaign.hpp"

#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace ts = tactus;

namespace {

// A batch takes milliseconds, under ThreadSanitizer a second; who takes this long will not end.
constexpr std::chrono::seconds k_patience{support::k_sanitized ? 300 : 60};

// Every setting has seeds of its own; whole batches.
std::uint64_t seeds_of(const oracle::setting& s) {
  return (std::uint64_t{static_cast<unsigned>(s.threads)} * 4 + static_cast<unsigned>(s.policy)) * 1'000'000 /
         oracle::k_batch * oracle::k_batch;
}

// Programs per setting: what makes the whole test take seconds everywhere. At most 8 programs are alive at a time, so that
// ThreadSanitizer never sees more than 1,600 stacks.
constexpr std::uint64_t k_programs = support::k_tsan ? 128 : support::k_asan ? 256 : 1024;

void expect_agreement(const oracle::setting& s, std::uint64_t programs) {
  oracle::hang_guard guard(k_patience);
  oracle::totals sum;
  oracle::campaign(s, guard).run(seeds_of(s), programs, sum);
  EXPECT_EQ(sum.failed, 0u) << sum.report;
  EXPECT_EQ(sum.lost, 0u);
  EXPECT_EQ(sum.doubled, 0u);
  EXPECT_GE(sum.programs, programs);
}

TEST(oracle_test, expectations_do_not_depend_on_the_schedule_of_the_interpreter) {
  oracle::interpreter with;
  oracle::program p;
  for (std::uint64_t seed = 0; seed < support::scaled(2000); ++seed) {
    for (const bool stuck : {false, true}) {
      oracle::generator_options options;
      options.stuck = stuck;
      oracle::make(seed, options, with, p);
      for (std::uint64_t schedule = 1; schedule <= 3; ++schedule)
        ASSERT_EQ(with.confirm(p, oracle::mix(seed, schedule)), "");
    }
  }
}

TEST(oracle_test, programs_have_the_size_asked_for) {
  oracle::interpreter with;
  oracle::program p;
  for (std::uint64_t seed = 0; seed < support::scaled(1000); ++seed) {
    oracle::make(seed, {}, with, p);
    ASSERT_GE(p.running_tasks, 10u) << seed;
    ASSERT_LE(p.tasks.size(), 200u) << seed;
  }
}

class oracle_test_of : public testing::TestWithParam<support::setting> {};
INSTANTIATE_TEST_SUITE_P(each, oracle_test_of, testing::ValuesIn([] {
                           using enum ts::spawn_policy;
                           std::vector<support::setting> all;
                           for (const int workers : {1, 2, 3, 8, 16}) {
                             for (const ts::spawn_policy policy : {adaptive, work_first, help_first})
                               all.push_back({workers, policy});
                           }
                           return all;
                         }()),
                         [](const auto& chosen) { return support::name_of(chosen.param); });

TEST_P(oracle_test_of, programs_do_what_the_oracle_says) {
  expect_agreement({GetParam().workers, GetParam().policy, false, false}, k_programs);
}

TEST_P(oracle_test_of, programs_do_so_under_the_seeded_scheduler) {
  expect_agreement({GetParam().workers, GetParam().policy, true, false}, k_programs / 4);
}

TEST_P(oracle_test_of, deadlocks_are_found_and_named) {
  expect_agreement({GetParam().workers, GetParam().policy, false, true}, k_programs / 16);
}

}  // namespace
