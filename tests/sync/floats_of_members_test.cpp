// SPDX-License-Identifier: Apache-2.0
// The floating-point environment where tasks wait for each other: clocks, phasers, conditions; and where one computes for others.
#include <tactus/tactus.hpp>

#include "support/floats.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <cstdint>

namespace ts = tactus;

namespace {

class floats_of_members_test : public support::each_setting {
protected:
  void SetUp() override { std::fesetround(FE_UPWARD); }

  const support::floats_restored restored_;
};
TACTUS_EACH_SETTING(floats_of_members_test);

// A member; every third has the run's, the others one of their own.
template <class Wait>
void go_through_phases(std::uint64_t number, std::atomic<int>& wrong, Wait wait) {
  if (support::rounds() != FE_UPWARD) ++wrong;
  const int own = number % 3 == 0 ? FE_UPWARD : support::way_to_round(number);
  for (int phase = 0; phase < 20; ++phase) {
    std::fesetround(own);
    wait();
    if (support::rounds() != own) ++wrong;
    std::fesetround(FE_UPWARD);
    wait();
    if (support::rounds() != FE_UPWARD) ++wrong;
  }
}

TEST_P(floats_of_members_test, a_member_keeps_its_own_from_phase_to_phase_of_a_clock) {
  std::atomic<int> wrong{0};
  run([&] {
    ts::finish(ts::clocked, [&](ts::clock c) {
      for (std::uint64_t i = 0; i < 60; ++i) {
        ts::async(ts::clocked(c), [&, i, c] { go_through_phases(i, wrong, [c] { c.advance(); }); });
      }
    });
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(floats_of_members_test, a_member_keeps_its_own_in_a_split_phase) {
  std::atomic<int> wrong{0};
  run([&] {
    ts::finish(ts::clocked, [&](ts::clock c) {
      for (std::uint64_t i = 0; i < 30; ++i) {
        ts::async(ts::clocked(c), [&, i, c] {
          go_through_phases(i, wrong, [c] {
            c.resume();
            c.advance();
          });
        });
      }
    });
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(floats_of_members_test, a_member_keeps_its_own_from_phase_to_phase_of_a_phaser) {
  std::atomic<int> wrong{0};
  run([&] {
    ts::finish([&] {
      const ts::phaser p;
      for (std::uint64_t i = 0; i < 30; ++i) {
        ts::async(ts::phased(p), [&, i] { go_through_phases(i, wrong, [] { ts::next(); }); });
      }
      p.drop();
    });
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(floats_of_members_test, a_condition_is_asked_with_those_of_its_own_task) {
  std::atomic<int> wrong{0};
  run([&] {
    int stage = 0;
    ts::finish([&] {
      ts::async([&] {
        ts::when(
            [&] {
              if (support::rounds() != FE_UPWARD) ++wrong;
              return stage == 3;
            },
            [&] {
              if (support::rounds() != FE_UPWARD) ++wrong;
            });
      });
      ts::async([&] {
        std::fesetround(FE_TOWARDZERO);
        ts::when(
            [&] {
              if (support::rounds() != FE_TOWARDZERO) ++wrong;
              return stage == 3;
            },
            [] {});
        if (support::rounds() != FE_TOWARDZERO) ++wrong;
        std::fesetround(FE_UPWARD);
      });
      ts::async([&] {
        for (int k = 1; k <= 3; ++k) {
          ts::yield();
          std::fesetround(FE_DOWNWARD);
          ts::atomic([&] { stage = k; });
          if (support::rounds() != FE_DOWNWARD) ++wrong;
          std::fesetround(FE_UPWARD);
        }
      });
    });
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(floats_of_members_test, an_accumulators_result_has_those_of_the_run_whoever_comes_last) {
  std::atomic<int> wrong{0};
  run([&] {
    ts::finish(ts::clocked, [&](ts::clock c) {
      const auto noting = [&](int a, int b) {
        if (std::fegetround() != FE_UPWARD) ++wrong;
        return a + b;
      };
      ts::accumulator sum(c, ts::monoid{0, noting}, ts::strategy::tree);
      for (int i = 0; i < 20; ++i) {
        ts::async(ts::clocked(c), [&, c, sum] {
          for (int phase = 0; phase < 5; ++phase) {
            sum.send(1);
            std::fesetround(FE_DOWNWARD);
            c.advance();
            if (support::rounds() != FE_DOWNWARD) ++wrong;
            std::fesetround(FE_UPWARD);
          }
        });
      }
    });
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(floats_of_members_test, elements_in_lock_step_have_those_of_the_run) {
  std::atomic<int> wrong{0};
  run([&] {
    int round = 0;
    ts::lockstep(
        0, 500,
        [&] {
          if (support::rounds() != FE_UPWARD) ++wrong;
          return round++ < 20;
        },
        [&](int i) {
          if (support::rounds() != FE_UPWARD) ++wrong;
          if (i == 250) {
            ts::async([&] {
              std::fesetround(FE_DOWNWARD);
              ts::yield();
              if (support::rounds() != FE_DOWNWARD) ++wrong;
              std::fesetround(FE_UPWARD);
            });
          }
        });
  });
  EXPECT_EQ(wrong, 0);
}

TEST(floats_of_seeded_members_test, each_member_has_its_own_in_every_order) {
  const support::floats_restored restored;
  std::fesetround(FE_UPWARD);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::atomic<int> wrong{0};
    ts::run(support::seeded_config_of(seed, 3), [&] {
      ts::finish(ts::clocked, [&](ts::clock c) {
        for (std::uint64_t i = 0; i < 6; ++i) {
          ts::async(ts::clocked(c), [&, i, c] { go_through_phases(i, wrong, [c] { c.advance(); }); });
        }
      });
    });
    EXPECT_EQ(wrong, 0) << "seed " << seed;
  }
}

}  // namespace
