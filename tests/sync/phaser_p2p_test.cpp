// SPDX-License-Identifier: Apache-2.0
// Point-to-point synchronisation: a phaser per task, on which that task signals and those who need its work wait.
#include <tactus/tactus.hpp>

#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using enum ts::phaser_mode;

class phaser_p2p_test : public support::each_setting {};
TACTUS_EACH_SETTING(phaser_p2p_test);

std::vector<ts::phaser> make_phasers(std::size_t n) {
  std::vector<ts::phaser> made;
  for (std::size_t i = 0; i < n; ++i) made.emplace_back(signal_wait);
  return made;
}

// ---- neighbours ----

/// One-dimensional iterative averaging of whole numbers; the two ends stay.
class rod {
public:
  explicit rod(std::size_t n) : cells_{std::vector<std::int64_t>(n), std::vector<std::int64_t>(n)} {
    for (std::vector<std::int64_t>& line : cells_) {
      line.front() = 1'000'000;
      line.back() = -3'000'000;
    }
  }
  [[nodiscard]] std::size_t size() const { return cells_[0].size(); }
  void average(std::size_t round, std::size_t i) {
    const std::vector<std::int64_t>& from = cells_[round % 2];
    cells_[(round + 1) % 2][i] = (from[i - 1] + from[i + 1]) / 2;
  }
  friend bool operator==(const rod&, const rod&) = default;

private:
  std::vector<std::int64_t> cells_[2];
};

constexpr std::size_t k_rounds = 40;

rod averaged_one_by_one(std::size_t n) {
  rod r(n);
  for (std::size_t round = 0; round < k_rounds; ++round) {
    for (std::size_t i = 1; i + 1 < n; ++i) r.average(round, i);
  }
  return r;
}

TEST_P(phaser_p2p_test, tasks_that_signal_their_neighbours_only_average_as_one_task_does) {
  // Plain cells: a task reads what its neighbours wrote in the round before, and overwrites what they read in it.
  const std::size_t n = support::scaled(66, 18);
  rod got(n);
  run([&] {
    ts::finish([&] {
      const std::vector<ts::phaser> of = make_phasers(n);
      for (std::size_t i = 1; i + 1 < n; ++i) {
        ts::async(ts::phased(of[i].as(signal_only), of[i - 1].as(wait_only), of[i + 1].as(wait_only)), [&got, i] {
          for (std::size_t round = 0; round < k_rounds; ++round) {
            got.average(round, i);
            ts::next();
          }
        });
      }
    });
  });
  EXPECT_TRUE(got == averaged_one_by_one(n));
}

TEST_P(phaser_p2p_test, no_neighbour_is_more_than_a_phase_ahead) {
  const std::size_t n = support::scaled(40, 12);
  std::vector<std::atomic<std::int64_t>> passed(n);
  run([&] {
    ts::finish([&] {
      const std::vector<ts::phaser> of = make_phasers(n);
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t left = (i + n - 1) % n;
        const std::size_t right = (i + 1) % n;
        ts::async(ts::phased(of[i].as(signal_only), of[left].as(wait_only), of[right].as(wait_only)),
                  [&, i, left, right] {
                    for (std::int64_t k = 1; k <= 30; ++k) {
                      if (i % 5 == 0) ts::yield();
                      ts::next();
                      // Its neighbours have signalled k times, so they have passed k - 1; and for k + 1 they would need one more signal.
                      EXPECT_GE(passed[left].load(), k - 1);
                      EXPECT_LE(passed[left].load(), k);
                      EXPECT_GE(passed[right].load(), k - 1);
                      EXPECT_LE(passed[right].load(), k);
                      passed[i] = k;
                    }
                  });
      }
    });
  });
}

TEST_P(phaser_p2p_test, distant_tasks_do_not_wait_for_one_another) {
  // A chain in which each waits for the one before it: all but the last go through every phase while the last has not begun.
  static constexpr std::size_t k_tasks = 5;
  std::atomic<int> through{0};
  run([&] {
    ts::finish([&] {
      const ts::promise<void> last_may_begin;
      const std::vector<ts::phaser> of = make_phasers(k_tasks);
      ts::async(ts::phased(of[0].as(signal_only)), [&through] {
        for (int k = 0; k < 20; ++k) ts::next();
        ++through;
      });
      for (std::size_t i = 1; i < k_tasks; ++i) {
        ts::async(ts::phased(of[i].as(signal_only), of[i - 1].as(wait_only)), [&through, i, last_may_begin] {
          if (i + 1 == k_tasks) last_may_begin.get_future().get();
          for (int k = 0; k < 20; ++k) ts::next();
          ++through;
          if (i + 2 == k_tasks) last_may_begin.set_value();
        });
      }
    });
  });
  EXPECT_EQ(through.load(), 5);
}

// ---- wavefront ----

// The number of ways from the corner to each cell, by steps right and down, modulo 2^64.
std::vector<std::uint64_t> ways_one_by_one(std::size_t rows, std::size_t columns) {
  std::vector<std::uint64_t> ways(rows * columns, 1);
  for (std::size_t r = 1; r < rows; ++r) {
    for (std::size_t c = 1; c < columns; ++c) {
      ways[r * columns + c] = ways[(r - 1) * columns + c] + ways[r * columns + c - 1];
    }
  }
  return ways;
}

TEST_P(phaser_p2p_test, a_wavefront_of_rows_computes_what_one_task_does) {
  static constexpr std::size_t k_rows = support::scaled(40, 10);
  static constexpr std::size_t k_columns = support::scaled(60, 15);
  for (const std::uint64_t furthest : {std::uint64_t{1}, std::uint64_t{4}, std::uint64_t{1'000'000}}) {
    std::vector<std::uint64_t> ways(k_rows * k_columns, 1);
    run([&] {
      ts::finish([&] {
        std::vector<ts::phaser> row;
        for (std::size_t r = 0; r < k_rows; ++r) row.emplace_back(signal_wait, ts::bound{furthest});
        ts::async(ts::phased(row[0].as(signal_only)), [below = row[0]] {
          for (std::size_t c = 0; c < k_columns; ++c) below.signal();
        });
        for (std::size_t r = 1; r < k_rows; ++r) {
          ts::async(ts::phased(row[r - 1].as(wait_only), row[r].as(signal_only)),
                    [&ways, r, above = row[r - 1], below = row[r]] {
                      for (std::size_t c = 0; c < k_columns; ++c) {
                        above.wait();
                        if (c > 0) {
                          ways[r * k_columns + c] = ways[(r - 1) * k_columns + c] + ways[r * k_columns + c - 1];
                        }
                        below.signal();
                      }
                    });
        }
      });
    });
    EXPECT_EQ(ways, ways_one_by_one(k_rows, k_columns));
  }
}

// ---- ring ----

TEST_P(phaser_p2p_test, a_token_goes_round_a_ring) {
  static constexpr std::size_t k_tasks = support::scaled(50, 10);
  static constexpr std::size_t k_laps = 10;
  std::size_t token = 0;  // plain: whoever has it owns it
  run([&] {
    ts::finish([&] {
      const std::vector<ts::phaser> of = make_phasers(k_tasks);
      for (std::size_t i = 0; i < k_tasks; ++i) {
        const ts::phaser mine = of[i];
        const ts::phaser before = of[(i + k_tasks - 1) % k_tasks];
        ts::async(ts::phased(mine.as(signal_only), before.as(wait_only)), [&token, mine, before, i] {
          for (std::size_t lap = 0; lap < k_laps; ++lap) {
            if (i > 0 || lap > 0) before.wait();
            EXPECT_EQ(token, lap * k_tasks + i);
            ++token;
            mine.signal();
          }
        });
      }
    });
  });
  EXPECT_EQ(token, k_tasks * k_laps);
}

}  // namespace
