// SPDX-License-Identifier: Apache-2.0
// The floating-point environment over places: tasks that go on where a message was taken have that of run's caller too.
#include <tactus/tactus.hpp>

#include "../support/floats.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <cstdint>

namespace ts = tactus;

namespace {

// The bits that say how to round, with no instruction that would trap on whatever the environment is.
bool rounds_upward() {
#if defined(__x86_64__)
  return (support::mxcsr() & 0x6000U) == 0x4000U;
#else
  return std::fegetround() == FE_UPWARD;
#endif
}

class floats_of_places_test : public testing::Test {
protected:
  const support::floats_restored restored_;
};

// Asks to and fro from the first moment of a runtime with many workers, so that some threads begin meanwhile and find an answer first.
TEST_F(floats_of_places_test, an_answer_taken_by_a_worker_that_has_just_begun) {
  constexpr int k_runtimes = 60;
  constexpr int k_askers = 4;
  constexpr int k_questions = 50;
  std::fesetround(FE_TONEAREST);
  std::atomic<int> wrong{0};
  for (int n = 0; n < k_runtimes; ++n) {
    ts::runtime r(ts::config{.threads = 16, .places = 2, .env = false});
    std::fesetround(FE_UPWARD);
    r.run([&] {
      ts::finish([&] {
        for (int i = 0; i < k_askers; ++i) {
          ts::async([&] {
            for (int k = 0; k < k_questions; ++k) {
              ts::at(ts::place(1), [] {});
              if (!rounds_upward()) ++wrong;
            }
          });
        }
      });
    });
    std::fesetround(FE_TONEAREST);
  }
  EXPECT_EQ(wrong, 0);
}

// Threads outlive a run, and the next one's caller may round otherwise.
TEST_F(floats_of_places_test, an_answer_in_a_later_run_that_rounds_otherwise) {
  constexpr int k_runs = 200;
  std::atomic<int> wrong{0};
  ts::runtime r(ts::config{.threads = 3, .places = 2, .env = false});
  for (int n = 0; n < k_runs; ++n) {
    const int way = support::way_to_round(static_cast<std::uint64_t>(n));
    std::fesetround(way);
    r.run([&] {
      for (int k = 0; k < 5; ++k) {
        ts::at(ts::place(1), [&] {
          if (std::fegetround() != way) ++wrong;
        });
        if (std::fegetround() != way) ++wrong;
      }
    });
  }
  EXPECT_EQ(wrong, 0);
}

// What one run leaves under way, such as room for messages that is given back, is taken while the next one begins.
TEST_F(floats_of_places_test, a_run_that_begins_while_messages_of_the_last_one_are_taken) {
  constexpr int k_runs = 1000;
  std::atomic<int> wrong{0};
  for (const ts::copying copies : {ts::copying::automatic, ts::copying::serialize}) {
    ts::runtime r(ts::config{.threads = 3, .places = 3, .env = false, .local_copy = copies, .message_bytes = 4096});
    for (int n = 0; n < k_runs; ++n) {
      const int way = support::way_to_round(static_cast<std::uint64_t>(n));
      std::fesetround(way);
      r.run([&wrong, way] {
        const ts::global_ref<std::atomic<int>> count(wrong);
        for (int i = 0; i < 20; ++i) {
          ts::async_at(ts::place(1 + i % 2), [count, way] {
            if (std::fegetround() != way) ts::at(count.home(), [count] { ++*count; });
          });
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
