// SPDX-License-Identifier: Apache-2.0
// Seeded runs in each of which 1,000 tasks may move, under every policy: each task runs once, none of the runs hangs, and a verdict comes where
// the program is stuck, after all that can run has run, and nowhere else. FLEXIBLE_RUNS=N makes so many runs (./dev soak moves), FULL_SCALE=1
// ten thousand.
#include <tactus/tactus.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stop_token>
#include <thread>

#include "support/scale.hpp"

namespace {
namespace ts = tactus;

constexpr int k_tasks = 1000;

// Places of a seed share a thread.
int g_ran;
int g_ran_by_verdict;
int g_wrong;

// What a run is like; all of it comes from its seed.
struct drawn_run {
  ts::config settings;
  bool is_stuck;       // its root waits for ever
  int to_other_place;  // of 8 tasks so many are meant for a place that was drawn
  int yields;          // of 8 tasks so many yield, as the root does
  int waits;           // of 64 tasks so many wait for another one that may move
};

drawn_run drawn(ts::placement_policy policy, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  const auto below = [&draw](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  const ts::copying copies[] = {ts::copying::automatic, ts::copying::construct, ts::copying::serialize};
  return {.settings = {.threads = 1 + below(2),
                       .places = 2 + below(4),
                       .placement = policy,
                       .seed = seed,
                       .env = false,
                       .local_copy = copies[below(3)]},
          .is_stuck = below(2) == 0,
          .to_other_place = below(3),
          .yields = 1 + below(4),
          .waits = below(4)};
}

int answer(int n) {
  ++g_ran;
  return 2 * n;
}

// Task number n of those that may move; the first third have two children each.
void work(int n, int yields, int waits) {
  ++g_ran;
  if (n % 8 < yields) ts::yield();
  for (int child = 1; n < k_tasks / 4 && child <= 2; ++child) {
    ts::async_at(ts::place_flexible, work, k_tasks + 2 * n + child, yields, 0);
  }
  if (n % 64 < waits) g_wrong += ts::at_future(ts::place_flexible, answer, n).get() != 2 * n ? 1 : 0;
}

// So many run.
int tasks_of(const drawn_run& r) {
  int all = 0;
  for (int n = 0; n < k_tasks / 2; ++n) all += 1 + (n < k_tasks / 4 ? 2 : 0) + (n % 64 < r.waits ? 1 : 0);
  return all;
}

void root(const drawn_run& r) {
  ts::promise<int> never;
  const ts::future<int> for_ever = never.get_future();
  const auto places = static_cast<int>(ts::places().size());
  for (int n = 0; n < k_tasks / 2; ++n) {
    if (n % 8 < r.to_other_place) {
      ts::async_at(ts::place_flexible(ts::place(n % places)).named("elsewhere"), work, n, r.yields, r.waits);
    } else {
      ts::async_at(ts::place_flexible, work, n, r.yields, r.waits);
    }
    if (n % 8 < r.yields) ts::yield();
  }
  if (!r.is_stuck) return;
  try {
    static_cast<void>(for_ever.get());
  } catch (const ts::deadlock_error&) {
    g_ran_by_verdict = g_ran;
    throw;
  }
}

// Ends the process where a run does not end.
class watch {
public:
  explicit watch(ts::placement_policy policy) : policy_(static_cast<int>(policy)) {}

  void now_runs(std::uint64_t seed) { seed_ = seed; }

private:
  static constexpr std::chrono::seconds k_patience{support::k_sanitized ? 240 : 60};

  void look(const std::stop_token& ends) const {
    std::uint64_t before = 0;
    auto since = std::chrono::steady_clock::now();
    while (!ends.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (seed_ != before) {
        before = seed_;
        since = std::chrono::steady_clock::now();
      } else if (std::chrono::steady_clock::now() - since > k_patience) {
        std::fprintf(stderr, "policy %d, seed %llu: the run hangs\n", policy_, static_cast<unsigned long long>(before));
        std::abort();
      }
    }
  }

  const int policy_;
  std::atomic<std::uint64_t> seed_{0};
  std::jthread thread_{[this](const std::stop_token& ends) { look(ends); }};
};

class seeded_moves : public testing::TestWithParam<ts::placement_policy> {};
INSTANTIATE_TEST_SUITE_P(policies, seeded_moves,
                         testing::Values(ts::placement_policy::work_dealing, ts::placement_policy::eager_dealing,
                                         ts::placement_policy::lifeline, ts::placement_policy::hybrid,
                                         ts::placement_policy::random_stealing, ts::placement_policy::sender_threshold,
                                         ts::placement_policy::proportional));

// Of one policy.
std::uint64_t runs() {
  constexpr std::uint64_t k_policies = 7;
  const char* const wish = std::getenv("FLEXIBLE_RUNS");
  const std::uint64_t all = wish != nullptr ? std::strtoull(wish, nullptr, 10) : support::scaled_or_full(1'000, 10'000);
  return (all + k_policies - 1) / k_policies;
}

TEST_P(seeded_moves, end_with_the_verdict_that_is_due) {
  watch watching(GetParam());
  std::uint64_t migrations = 0;
  std::uint64_t stuck = 0;
  for (std::uint64_t seed = 1; seed <= runs(); ++seed) {
    watching.now_runs(seed);
    const drawn_run r = drawn(GetParam(), seed);
    g_ran = g_wrong = g_ran_by_verdict = 0;
    bool was_stuck = false;
    ts::runtime rt(r.settings);
    try {
      rt.run([&r] { root(r); });
    } catch (const ts::deadlock_error&) {
      was_stuck = true;
    }
    const ts::runtime_stats s = rt.stats();
    ASSERT_EQ(was_stuck, r.is_stuck) << "seed " << seed << ": the verdict is wrong";
    ASSERT_EQ(g_ran, tasks_of(r)) << "seed " << seed;
    ASSERT_EQ(was_stuck ? g_ran_by_verdict : g_ran, g_ran) << "seed " << seed << ": the verdict came too early";
    ASSERT_EQ(g_wrong, 0) << "seed " << seed;
    std::uint64_t kept = 0;
    for (const ts::place_stats& p : s.places) kept += p.kept;
    ASSERT_EQ(kept + s.migrations, static_cast<std::uint64_t>(g_ran)) << "seed " << seed;
    migrations += s.migrations;
    stuck += was_stuck ? 1 : 0;
  }
  std::printf("%llu runs, of which %llu were stuck; %llu tasks moved\n", static_cast<unsigned long long>(runs()),
              static_cast<unsigned long long>(stuck), static_cast<unsigned long long>(migrations));
  EXPECT_GT(migrations, 10 * runs()) << "they are to move";
}

}  // namespace
