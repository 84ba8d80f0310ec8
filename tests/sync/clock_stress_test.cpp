// SPDX-License-Identifier: Apache-2.0
// Storms of joining, leaving, resuming and stealing. An oracle counts, for every clock and phase, who is registered and has not
// resumed it: nobody may pass a phase of which that count is not zero. A failure prints the seed of its program.
#include <tactus/tactus.hpp>

#include "clock_members.hpp"
#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

class clock_stress_test : public support::each_setting {};
TACTUS_EACH_SETTING(clock_stress_test);

// ---- random programs ----

constexpr std::size_t k_clocks = 3;
constexpr int k_depth = 4;
constexpr int k_steps = 12;
constexpr std::size_t k_phases = (k_depth + 1) * k_steps + 2;
constexpr int k_most_tasks = 60;

/// A splitmix64 sequence: small, and the same on every machine.
class chooser {
public:
  explicit chooser(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return next() % n; }

private:
  std::uint64_t state_;
};

/// What is known about one clock. The counters are relaxed on purpose: it is the clock that orders them, and the plain stamps
/// beside them, which ThreadSanitizer watches.
struct witness {
  std::array<std::atomic<int>, k_phases> missing{};  ///< registered, and not resumed in this phase
  std::array<std::array<std::size_t, k_most_tasks>, 2>
      stamps{};  ///< by parity of the phase: where each task arrived last

  void expect(std::size_t phase) { missing[phase].fetch_add(1, std::memory_order_relaxed); }
  void dismiss(std::size_t phase) { missing[phase].fetch_sub(1, std::memory_order_relaxed); }
  int missing_in(std::size_t phase) const { return missing[phase].load(std::memory_order_relaxed); }
};

struct world {
  explicit world(std::uint64_t s) : seed(s) {}
  std::uint64_t seed;
  std::array<witness, k_clocks> witnesses{};
  std::atomic<int> tasks{0};
  std::atomic<int> thrown{0};
  std::atomic<int> passes{0};
};

/// How one task stands to one clock.
struct standing {
  std::size_t phase = 0;
  bool registered = false;
  bool resumed = false;

  [[nodiscard]] std::size_t awaited_in() const { return resumed ? phase + 1 : phase; }
};

/// One task of a random program.
class walker {
public:
  walker(world* w, std::vector<ts::clock> clocks, std::array<standing, k_clocks> inherited, int depth, int slot)
      : w_(w),
        clocks_(std::move(clocks)),
        on_(inherited),
        depth_(depth),
        slot_(static_cast<std::size_t>(slot)),
        choose_(w->seed * 1'000 + static_cast<std::uint64_t>(slot)) {}

  void operator()() {
    for (int step = 0; step < k_steps && first_registered() != k_clocks; ++step) take_step();
    const bool fails = choose_.below(5) == 0;
    for (std::size_t i = 0; i < k_clocks; ++i) {
      if (on_[i].registered) w_->witnesses[i].dismiss(on_[i].awaited_in());
    }
    if (fails) {
      ++w_->thrown;
      throw std::runtime_error("left by an exception");
    }
  }

private:
  void take_step() {
    switch (choose_.below(8)) {
      case 0: resume_one(); break;
      case 1: advance_one_after_another(); break;
      case 2:
      case 3: spawn(); break;
      case 4: drop_one(); break;
      case 5: ts::yield(); break;
      default: advance_all(); break;
    }
  }

  std::size_t first_registered() const {
    std::size_t i = 0;
    while (i < k_clocks && !on_[i].registered) ++i;
    return i;
  }

  std::size_t any_registered() {
    std::size_t i = choose_.below(k_clocks);
    while (!on_[i].registered) i = (i + 1) % k_clocks;
    return i;
  }

  void arrive(std::size_t i) {
    if (!on_[i].registered || on_[i].resumed) return;
    witness& at = w_->witnesses[i];
    at.stamps[on_[i].phase % 2][slot_] = on_[i].phase;
    at.expect(on_[i].phase + 1);
    at.dismiss(on_[i].phase);
    on_[i].resumed = true;
  }

  void pass(std::size_t i) {
    if (!on_[i].registered) return;
    const std::size_t passed = on_[i].phase++;
    on_[i].resumed = false;
    const witness& at = w_->witnesses[i];
    EXPECT_EQ(at.missing_in(passed), 0) << "clock " << i << ", phase " << passed << ", seed " << w_->seed;
    EXPECT_EQ(clocks_[i].phase(), passed + 1) << "clock " << i << ", seed " << w_->seed;
    // Whoever arrived in that phase wrote this before, and nobody writes it again before this task arrives in the next.
    EXPECT_LE(at.stamps[passed % 2][choose_.below(k_most_tasks)], passed) << "seed " << w_->seed;
    w_->passes.fetch_add(1, std::memory_order_relaxed);
  }

  void resume_one() {
    const std::size_t i = any_registered();
    arrive(i);
    clocks_[i].resume();
  }

  void advance_all() {
    for (std::size_t i = 0; i < k_clocks; ++i) arrive(i);
    ts::advance_all();
    for (std::size_t i = 0; i < k_clocks; ++i) pass(i);
  }

  void advance_one_after_another() {
    for (std::size_t i = 0; i < k_clocks; ++i) arrive(i);
    ts::resume_all();
    const std::size_t first = choose_.below(k_clocks);
    for (std::size_t k = 0; k < k_clocks; ++k) {
      const std::size_t i = (first + k) % k_clocks;
      if (!on_[i].registered) continue;
      clocks_[i].advance();
      pass(i);
    }
  }

  void drop_one() {
    const std::size_t i = any_registered();
    w_->witnesses[i].dismiss(on_[i].awaited_in());
    on_[i].registered = false;
    clocks_[i].drop();
  }

  void spawn() {
    const int slot = depth_ < k_depth ? w_->tasks.fetch_add(1) : k_most_tasks;
    if (slot >= k_most_tasks) return;
    std::array<standing, k_clocks> of_child = on_;
    const std::size_t kept = any_registered();
    std::array<const ts::clock*, k_clocks> named{};
    for (std::size_t i = 0; i < k_clocks; ++i) {
      if (i != kept && choose_.below(2) == 0) of_child[i].registered = false;
      if (of_child[i].registered) w_->witnesses[i].expect(of_child[i].awaited_in());
      named[i] = &clocks_[of_child[i].registered ? i : kept];
    }
    static constexpr std::array k_policies = {ts::spawn_policy::adaptive, ts::spawn_policy::work_first,
                                              ts::spawn_policy::help_first};
    ts::async(k_policies[choose_.below(3)], ts::clocked(*named[0], *named[1], *named[2]),
              walker(w_, clocks_, of_child, depth_ + 1, slot));
  }

  world* w_;
  std::vector<ts::clock> clocks_;
  std::array<standing, k_clocks> on_;
  int depth_;
  std::size_t slot_;
  chooser choose_;
};

/// Runs the program of a seed and checks what it can only be checked at the end.
void expect_order_kept(const ts::config& how, std::uint64_t seed) {
  world w(seed);
  std::size_t reported = 0;
  ts::run(how, [&] {
    const auto e = support::caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        std::vector<ts::clock> clocks;
        for (std::size_t i = 0; i < k_clocks; ++i) clocks.push_back(ts::clock::make());
        std::array<standing, k_clocks> everywhere{};
        for (standing& s : everywhere) s.registered = true;
        for (int k = 0; k < 4; ++k) {
          for (witness& at : w.witnesses) at.expect(0);
          ts::async(ts::clocked(clocks[0], clocks[1], clocks[2]),
                    walker(&w, clocks, everywhere, 0, w.tasks.fetch_add(1)));
        }
      });
    });
    if (e) reported = e->exceptions().size();
  });
  EXPECT_EQ(reported, static_cast<std::size_t>(w.thrown)) << "seed " << seed;
  EXPECT_GT(w.passes.load(), 0) << "seed " << seed;
  for (const witness& at : w.witnesses) {
    for (std::size_t phase = 0; phase < k_phases; ++phase) {
      EXPECT_EQ(at.missing_in(phase), 0) << "phase " << phase << ", seed " << seed;
    }
  }
}

TEST_P(clock_stress_test, random_programs_pass_no_phase_before_all_registered_have_resumed_it) {
  for (std::uint64_t seed = 1; seed <= support::scaled(25, 5); ++seed) {
    expect_order_kept(support::config_of(GetParam().workers, GetParam().policy), seed);
    if (HasFailure()) break;
  }
}

TEST(clock_seeded_stress_test, random_programs_keep_the_order_under_the_seeded_scheduler) {
  for (std::uint64_t seed = 1; seed <= support::scaled(150, 20); ++seed) {
    const int workers = 1 + static_cast<int>(seed % 6);
    expect_order_kept(support::seeded_config_of(seed, workers), seed);
    if (testing::Test::HasFailure()) break;
  }
}

// ---- storms of one shape ----

TEST_P(clock_stress_test, a_relay_that_renews_its_tasks_in_every_phase_loses_nobody) {
  // Each runner hands its place to a child and leaves, by end, drop or exception, so that all registrations change all the time.
  static constexpr std::size_t k_laps = 12;
  struct relay {
    std::array<std::atomic<int>, k_laps> arrived{};
    std::atomic<int> fallen{0};
    int runners = 0;

    void run_lap(const ts::clock& c, std::size_t lap, int number) {
      ++arrived[lap];
      c.advance();
      EXPECT_EQ(arrived[lap].load(), runners);
      EXPECT_EQ(c.phase(), lap + 1);
      if (lap + 1 == k_laps) return;
      ts::async(ts::clocked(c), [this, c, lap, number] { run_lap(c, lap + 1, number); });
      if (number % 3 == 0) c.drop();
      if (number % 3 == 1) {
        ++fallen;
        throw std::runtime_error("fallen");
      }
    }
  };
  relay r;
  r.runners = static_cast<int>(support::scaled(60, 12));
  run([&] {
    const auto e = support::caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        const ts::clock c = ts::clock::make();
        for (int i = 0; i < r.runners; ++i) {
          ts::async(ts::clocked(c), [&r, c, i] { r.run_lap(c, 0, i); });
        }
      });
    });
    ASSERT_TRUE(e);
    EXPECT_EQ(e->exceptions().size(), static_cast<std::size_t>(r.fallen));
  });
  for (const auto& n : r.arrived) EXPECT_EQ(n.load(), r.runners);
}

TEST_P(clock_stress_test, children_of_resumed_parents_join_while_the_phase_ends) {
  // Every task resumes and registers a child while the arrivals of others flip the phase. The child is waited for in the
  // phase after, never in this one.
  static constexpr std::size_t k_rounds = 8;
  const int n = static_cast<int>(support::scaled(40, 8));
  std::array<std::atomic<int>, k_rounds> children{};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < n; ++i) {
      ts::async(ts::clocked(c), [&children, c, n] {
        for (std::size_t k = 0; k < k_rounds; ++k) {
          c.resume();
          ts::async(ts::clocked(c), [&children, c, k] {
            c.advance();
            ++children[k];
          });
          c.advance();
          c.advance();
          EXPECT_EQ(children[k].load(), n);
        }
      });
    }
  });
  for (const auto& born : children) EXPECT_EQ(born.load(), n);
}

TEST_P(clock_stress_test, many_tasks_and_phases_keep_their_order_beside_unclocked_work) {
  static constexpr std::size_t k_many_phases = 10;
  const int n = static_cast<int>(support::scaled(300, 40));
  std::array<std::atomic<int>, k_many_phases> arrived{};
  std::atomic<int> elsewhere{0};
  run([&] {
    const ts::clock c = ts::clock::make();
    for (int i = 0; i < n; ++i) {
      ts::async(ts::clocked(c), [&, c, i] {
        for (std::size_t k = 0; k < k_many_phases; ++k) {
          if (i % 50 == 0) {
            ts::finish([&elsewhere] {
              for (int j = 0; j < 5; ++j) ts::async([&elsewhere] { ++elsewhere; });
            });
          } else if (i % 7 == 0) {
            ts::yield();
          }
          ++arrived[k];
          c.advance();
          EXPECT_EQ(arrived[k].load(), n);
        }
      });
    }
  });
  EXPECT_EQ(elsewhere.load(), static_cast<int>(k_many_phases) * 5 * ((n + 49) / 50));
}

TEST_P(clock_stress_test, a_ring_of_clocks_keeps_neighbours_within_a_phase) {
  // Task i is registered on clocks i and i+1, and reads what its neighbours wrote: plain cells, two by parity.
  const std::size_t n = support::scaled(60, 10);
  static constexpr std::size_t k_rounds = 10;
  std::array<std::vector<std::size_t>, 2> cells{std::vector<std::size_t>(n), std::vector<std::size_t>(n)};
  run([&] {
    ts::finish([&] {
      std::vector<ts::clock> clocks;
      for (std::size_t i = 0; i < n; ++i) clocks.push_back(ts::clock::make());
      for (std::size_t i = 0; i < n; ++i) {
        ts::async(ts::clocked(clocks[i], clocks[(i + 1) % n]), [&, i] {
          for (std::size_t k = 1; k <= k_rounds; ++k) {
            cells[k % 2][i] = k;
            ts::advance_all();
            EXPECT_EQ(cells[k % 2][(i + 1) % n], k);
            EXPECT_EQ(cells[k % 2][(i + n - 1) % n], k);
          }
        });
      }
    });
  });
}

TEST_P(clock_stress_test, hundreds_of_clocks_live_beside_one_another) {
  const std::size_t n = support::scaled(400, 50);
  std::atomic<std::size_t> passed{0};
  run([&] {
    for (std::size_t i = 0; i < n; ++i) {
      ts::async([&passed] {
        const ts::clock c = ts::clock::make();
        members::spawn_advancing(c, passed, 3);
        c.advance();
        c.resume();
      });
    }
  });
  EXPECT_EQ(passed.load(), n);
}

TEST_P(clock_stress_test, runs_in_a_row_leave_nothing_behind) {
  ts::runtime rt(support::config_of(GetParam().workers, GetParam().policy));
  for (std::size_t round = 0; round < support::scaled(30, 5); ++round) {
    std::atomic<int> passed{0};
    rt.run([&] {
      const ts::clock c = ts::clock::make();
      for (int i = 0; i < 4; ++i) members::spawn_advancing(c, passed, 4);
    });
    ASSERT_EQ(passed.load(), 4);
  }
}

}  // namespace
